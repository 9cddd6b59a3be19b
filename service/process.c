/* process.c: see process.h.
 *
 * The exit of the child and the last bytes it wrote reach the loop in any
 * order, so at the exit both streams are read dry at once, and only then is
 * everything closed. Thread: the loop's. */
#include "process.h"

#include <errno.h>
#include <jansson.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

static void on_closed(uv_handle_t *handle)
{
	struct svc_process *process = handle->data;
	if (--process->open_handles == 0)
		process->events->ended(process->context);
}

static void close_all(struct svc_process *process)
{
	if (process->closing)
		return;
	process->closing = true;
	process->writable = false;
	uv_close((uv_handle_t *)&process->process, on_closed);
	uv_close((uv_handle_t *)&process->channel, on_closed);
	uv_close((uv_handle_t *)&process->errors, on_closed);
	uv_close((uv_handle_t *)&process->deadline, on_closed);
}

static void keep_tail(struct svc_process *process, const char *bytes, size_t count)
{
	if (count > SVC_PROCESS_TAIL_BYTES) {
		bytes += count - SVC_PROCESS_TAIL_BYTES;
		count = SVC_PROCESS_TAIL_BYTES;
	}
	size_t kept = SVC_PROCESS_TAIL_BYTES - count;
	if (process->tail_bytes > kept) {
		memmove(process->tail, process->tail + process->tail_bytes - kept, kept);
		process->tail_bytes = kept;
	}
	memcpy(process->tail + process->tail_bytes, bytes, count);
	process->tail_bytes += count;
}

/* Reads what a dead child left in a stream; ends at its end or when nothing is there. */
static void read_dry(struct svc_process *process, uv_pipe_t *pipe)
{
	uv_os_fd_t fd;
	if (uv_fileno((uv_handle_t *)pipe, &fd) != 0)
		return;
	for (;;) {
		ssize_t count = read(fd, process->input, sizeof process->input);
		if (count < 0 && errno == EINTR)
			continue;
		if (count <= 0)
			return;
		if (pipe == &process->errors)
			keep_tail(process, process->input, (size_t)count);
		else
			process->events->received(process->context, process->input, (size_t)count);
	}
}

static void on_exit_of_child(uv_process_t *handle, int64_t exit_status, int signal_number)
{
	struct svc_process *process = handle->data;
	process->exited = true;
	process->writable = false;
	process->exit_status = exit_status;
	process->signal = signal_number;
	/* what the child started must not outlive it: it would hold the streams and the device */
	kill(-process->pid, SIGKILL);
	read_dry(process, &process->errors);
	read_dry(process, &process->channel);
	close_all(process);
}

static void on_allocate(uv_handle_t *handle, size_t suggested, uv_buf_t *buffer)
{
	(void)suggested;
	struct svc_process *process = handle->data;
	*buffer = uv_buf_init(process->input, sizeof process->input);
}

static void on_read(uv_stream_t *stream, ssize_t count, const uv_buf_t *buffer)
{
	struct svc_process *process = stream->data;
	if (count < 0)
		uv_read_stop(stream);
	else if ((uv_pipe_t *)stream == &process->errors)
		keep_tail(process, buffer->base, (size_t)count);
	else if (count > 0)
		process->events->received(process->context, buffer->base, (size_t)count);
}

static void on_deadline(uv_timer_t *timer)
{
	struct svc_process *process = timer->data;
	if (!process->exited)
		process->events->expired(process->context);
}

static int spawn(struct svc_process *process, uv_loop_t *loop, const struct svc_process_spec *spec)
{
	uv_stdio_container_t stdio[4] = {0};
	for (int fd = 0; fd < 4; fd++)
		stdio[fd].flags = UV_IGNORE;
	stdio[2].flags = UV_CREATE_PIPE | UV_WRITABLE_PIPE;
	stdio[2].data.stream = (uv_stream_t *)&process->errors;
	stdio[spec->channel_fd].flags = UV_CREATE_PIPE | UV_READABLE_PIPE | UV_WRITABLE_PIPE;
	stdio[spec->channel_fd].data.stream = (uv_stream_t *)&process->channel;
	uv_process_options_t options = {
		.file = spec->program,
		.args = (char **)spec->arguments,
		.exit_cb = on_exit_of_child,
		.flags = UV_PROCESS_DETACHED,
		.stdio = stdio,
		.stdio_count = spec->channel_fd + 1 > 3 ? spec->channel_fd + 1 : 3,
	};
	return uv_spawn(loop, &process->process, &options);
}

void svc_process_start(struct svc_process *process, uv_loop_t *loop, const struct svc_process_spec *spec,
		       const struct svc_process_events *events, void *context)
{
	memset(process, 0, sizeof *process);
	process->events = events;
	process->context = context;
	uv_pipe_init(loop, &process->channel, 0);
	uv_pipe_init(loop, &process->errors, 0);
	uv_timer_init(loop, &process->deadline);
	process->process.data = process->channel.data = process->errors.data = process->deadline.data = process;
	process->open_handles = 4;
	process->start_error = spawn(process, loop, spec);
	process->process.data = process; /* uv_spawn has initialised the handle */
	if (process->start_error != 0) {
		close_all(process);
		return;
	}
	process->pid = process->process.pid;
	process->writable = true;
	/* by group, not by process: it reaches threads that exist already */
	if (spec->nice > 0)
		setpriority(PRIO_PGRP, (id_t)process->pid, spec->nice);
	uv_read_start((uv_stream_t *)&process->channel, on_allocate, on_read);
	uv_read_start((uv_stream_t *)&process->errors, on_allocate, on_read);
}

void svc_process_deadline(struct svc_process *process, double seconds)
{
	if (process->closing)
		return;
	if (seconds > 0)
		uv_timer_start(&process->deadline, on_deadline, (uint64_t)(seconds * 1e3 + 0.5), 0);
	else
		uv_timer_stop(&process->deadline);
}

void svc_process_kill(struct svc_process *process)
{
	if (process->pid > 0 && !process->exited)
		kill(-process->pid, SIGKILL);
}

struct write_request {
	uv_write_t request;
	char *bytes;
};

static void on_written(uv_write_t *request, int status)
{
	(void)status; /* a failed write means that the child is going: its exit tells */
	struct write_request *write_request = request->data;
	free(write_request->bytes);
	free(write_request);
}

int svc_process_write(struct svc_process *process, char *bytes, size_t count, struct mmt_error *error)
{
	struct write_request *request = NULL;
	int status = UV_EPIPE;
	if (process->writable) {
		request = calloc(1, sizeof *request);
		status = request ? 0 : UV_ENOMEM;
	}
	if (status == 0) {
		request->bytes = bytes;
		request->request.data = request;
		uv_buf_t buffer = uv_buf_init(bytes, (unsigned)count);
		status = uv_write(&request->request, (uv_stream_t *)&process->channel, &buffer, 1, on_written);
	}
	if (status == 0)
		return 0;
	free(request);
	free(bytes);
	return mmt_error_set(error, MMT_UNREACHABLE, -status, "cannot write to the worker: %s", uv_strerror(status));
}

static void on_shut_down(uv_shutdown_t *request, int status)
{
	(void)status;
	free(request);
}

void svc_process_hang_up(struct svc_process *process)
{
	if (!process->writable)
		return;
	process->writable = false;
	uv_shutdown_t *request = malloc(sizeof *request);
	if (!request || uv_shutdown(request, (uv_stream_t *)&process->channel, on_shut_down) != 0) {
		free(request);
		svc_process_kill(process);
	}
}

/* The tail as text: control characters and bytes that are no UTF-8 become '?'. */
static void tail_text(const struct svc_process *process, char *out, size_t bytes)
{
	size_t count = process->tail_bytes < bytes - 1 ? process->tail_bytes : bytes - 1;
	memcpy(out, process->tail + process->tail_bytes - count, count);
	while (count > 0 && (out[count - 1] == '\n' || out[count - 1] == ' '))
		count--;
	out[count] = '\0';
	for (size_t i = 0; i < count; i++)
		if ((unsigned char)out[i] < 0x20 && out[i] != '\n' && out[i] != '\t')
			out[i] = '?';
	json_t *valid = json_stringn(out, count);
	for (size_t i = 0; !valid && i < count; i++)
		if ((unsigned char)out[i] >= 0x80)
			out[i] = '?';
	json_decref(valid);
}

const char *svc_process_explain(const struct svc_process *process, char *out, size_t bytes)
{
	char tail[SVC_PROCESS_TAIL_BYTES + 1];
	tail_text(process, tail, sizeof tail);
	int used;
	if (process->start_error != 0)
		used = snprintf(out, bytes, "cannot be started: %s", uv_strerror(process->start_error));
	else if (process->signal != 0)
		used = snprintf(out, bytes, "was killed by signal %d (%s)", process->signal,
				strsignal(process->signal));
	else
		used = snprintf(out, bytes, "exited with status %lld", (long long)process->exit_status);
	if (tail[0] != '\0' && used > 0 && (size_t)used + 3 < bytes) {
		/* the end of the tail says most: cut at its front, between characters */
		size_t room = bytes - (size_t)used - 3, length = strlen(tail);
		const char *from = length > room ? tail + length - room : tail;
		while (((unsigned char)*from & 0xc0) == 0x80)
			from++;
		snprintf(out + used, bytes - (size_t)used, ": %s", from);
	}
	return out;
}
