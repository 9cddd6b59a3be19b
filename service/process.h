/* process.h: one child process with a channel, a stderr tail and a deadline.
 *
 * What worker.c and enumerate.c share. The child leads a session of its own,
 * so that a kill reaches the compilers that a driver starts. Its channel (a
 * socket pair) is descriptor 1 or 3 of the child; stdin, and stdout where it is not
 * the channel, are /dev/null; the last bytes of stderr are kept.
 *
 * Always: after svc_process_start, failed or not, `ended` comes exactly once,
 * from the loop, when the child is reaped, everything it wrote has been
 * received and no handle is left open. Then the owner may free the structure.
 *
 * Thread: the loop's. */
#ifndef MMT_SERVICE_PROCESS_H
#define MMT_SERVICE_PROCESS_H

#include <stdbool.h>
#include <uv.h>

#include "mmtune/error.h"

#define SVC_PROCESS_TAIL_BYTES ((size_t)2048)

struct svc_process_events {
	void (*received)(void *context, const char *bytes, size_t count);
	void (*expired)(void *context); /* the deadline passed; it is not renewed */
	void (*ended)(void *context);
};

struct svc_process_spec {
	const char *program;
	const char *const *arguments; /* NULL-terminated, the program's name first */
	int channel_fd;               /* in the child: 1 or 3 */
	int nice;
};

struct svc_process {
	const struct svc_process_events *events;
	void *context;
	uv_process_t process;
	uv_pipe_t channel, errors;
	uv_timer_t deadline;
	unsigned open_handles;
	int pid;              /* 0: never started */
	int start_error;      /* libuv's code when it could not be started, else 0 */
	bool exited, closing; /* reaped; handles are being closed */
	bool writable;        /* the channel is open for us to write */
	int64_t exit_status;
	int signal;
	char tail[SVC_PROCESS_TAIL_BYTES];
	size_t tail_bytes;
	char input[16384];
};

void svc_process_start(struct svc_process *process, uv_loop_t *loop, const struct svc_process_spec *spec,
		       const struct svc_process_events *events, void *context);
/* Restarts the deadline; 0 stops it. */
void svc_process_deadline(struct svc_process *process, double seconds);
/* SIGKILL to the whole session's group; `ended` follows. No effect once it has exited. */
void svc_process_kill(struct svc_process *process);
/* Sends bytes (taken over, freed with free). MMT_UNREACHABLE when the child is gone. */
int svc_process_write(struct svc_process *process, char *bytes, size_t count, struct mmt_error *error);
/* The child reads the end of the stream. */
void svc_process_hang_up(struct svc_process *process);
/* "was killed by signal 11 (Segmentation fault): last lines of stderr". Valid UTF-8. Returns out. */
const char *svc_process_explain(const struct svc_process *process, char *out, size_t bytes);

#endif
