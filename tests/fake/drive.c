/* drive.c: see drive.h. */
#include "drive.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "problem_json.h"
#include "registry.h"
#include "sha256.h"

#define HELLO_TIMEOUT_MS 10000
#define MOST_PARAMETERS  64

extern char **environ;

json_t *drive_enumerate(const char *program)
{
	char command[4096];
	FILE *pipe;
	json_t *output;

	snprintf(command, sizeof command, "'%s' --enumerate", program);
	pipe = popen(command, "re");
	if (pipe == NULL)
		return NULL;
	output = json_loadf(pipe, 0, NULL);
	pclose(pipe);
	return output;
}

static int spawn(struct drive *drive, const char *program, const char *fingerprint, int child_fd)
{
	char *const arguments[] = {(char *)(uintptr_t)program, (char *)(uintptr_t) "--fingerprint",
				   (char *)(uintptr_t)fingerprint, NULL};
	posix_spawn_file_actions_t actions;
	int status;

	posix_spawn_file_actions_init(&actions);
	posix_spawn_file_actions_adddup2(&actions, child_fd, KERN_WORKER_FD);
	status = posix_spawn(&drive->pid, program, &actions, NULL, arguments, environ);
	posix_spawn_file_actions_destroy(&actions);
	return status == 0 ? 0 : -1;
}

/* The next message; NULL at the end of the stream or after timeout_ms. */
static json_t *receive(struct drive *drive, int timeout_ms)
{
	json_t *message = NULL;

	if (wire_receive(drive->fd, &drive->reader, timeout_ms, &message, NULL) != 0)
		return NULL;
	return message;
}

int drive_start(struct drive *drive, const char *program, const char *fingerprint)
{
	int pair[2];
	json_t *hello;
	int status;

	memset(drive, 0, sizeof *drive);
	wire_reader_init(&drive->reader, WIRE_REPLY_LIMIT_BYTES);
	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair) != 0)
		return -1;
	/* Out of the way of descriptor 3, which posix_spawn would leave close-on-exec if it were its own source */
	drive->fd = fcntl(pair[0], F_DUPFD_CLOEXEC, 10);
	close(pair[0]);
	pair[0] = fcntl(pair[1], F_DUPFD_CLOEXEC, 10);
	close(pair[1]);
	status = spawn(drive, program, fingerprint, pair[0]);
	close(pair[0]);
	if (status != 0) {
		drive->pid = 0;
		drive_stop(drive);
		return -1;
	}
	hello = receive(drive, HELLO_TIMEOUT_MS);
	status = hello != NULL && json_integer_value(json_object_get(hello, "hello")) == 1
			 ? kern_device_from_json(json_object_get(hello, "device"), &drive->device, NULL)
			 : -1;
	json_decref(hello);
	if (status != 0)
		drive_stop(drive);
	return status;
}

void drive_stop(struct drive *drive)
{
	if (drive->fd > 0)
		close(drive->fd);
	drive->fd = 0;
	if (drive->pid > 0) {
		kill(drive->pid, SIGKILL);
		while (waitpid(drive->pid, &drive->status, 0) < 0 && errno == EINTR)
			continue;
	}
	drive->pid = 0;
	wire_reader_finish(&drive->reader);
}

/* As drive_stop, but a worker that ends by itself keeps its own status. */
static void reap(struct drive *drive)
{
	for (int i = 0; i < 200; i++) {
		if (waitpid(drive->pid, &drive->status, WNOHANG) == drive->pid) {
			drive->pid = 0;
			break;
		}
		usleep(10000);
	}
	drive_stop(drive);
}

int drive_send(struct drive *drive, json_t *request)
{
	int status = wire_send(drive->fd, request, NULL);

	json_decref(request);
	return status;
}

static int take_results(const json_t *list, struct kern_result *results, size_t n)
{
	if (json_array_size(list) != n)
		return -1;
	for (size_t i = 0; i < n; i++) {
		if (kern_result_from_json(json_array_get(list, i), &results[i], NULL) != 0)
			return -1;
	}
	return 0;
}

int drive_run(struct drive *drive, json_t *request, int timeout_ms, struct kern_result *results, size_t n)
{
	json_t *message;

	drive->phases[0] = '\0';
	if (drive_send(drive, request) != 0)
		return -1;
	while ((message = receive(drive, timeout_ms)) != NULL) {
		const char *phase = json_string_value(json_object_get(message, "phase"));
		size_t used = strlen(drive->phases);
		int status;

		if (phase != NULL) {
			snprintf(drive->phases + used, sizeof drive->phases - used, "%s ", phase);
			json_decref(message);
			continue;
		}
		status = take_results(json_object_get(message, "results"), results, n);
		json_decref(message);
		return status;
	}
	reap(drive);
	return -1;
}

json_t *drive_trial(const struct mmt_problem *problem, json_t *plan, double give_up_ns, bool general)
{
	return json_pack("{s:s, s:i, s:o, s:o, s:f, s:b}", "op", "trial", "id", 7, "problem", problem_to_json(problem),
			 "plan", plan, "give_up_ns", give_up_ns, "general", general);
}

json_t *drive_compare(const struct mmt_problem *problem, json_t *plans, int rounds)
{
	return json_pack("{s:s, s:i, s:o, s:o, s:i}", "op", "compare", "id", 8, "problem", problem_to_json(problem),
			 "plans", plans, "rounds", rounds);
}

static json_t *plan_of(const struct kern_variant *variant, const struct mmt_problem *problem,
		       const struct kern_device *device)
{
	uint16_t indices[MOST_PARAMETERS] = {0};
	struct kern_plan plan;
	struct mmt_error error;
	json_t *object;

	if (variant->n_parameters > MOST_PARAMETERS) {
		fprintf(stderr, "'%s' has too many parameters\n", variant->name);
		return NULL;
	}
	kern_default_configuration(variant, problem, device, indices);
	if (kern_plan_init(&plan, variant, problem, indices, device, &error) != 0) {
		fprintf(stderr, "no plan of '%s': %s\n", variant->name, error.message);
		return NULL;
	}
	object = kern_plan_to_json(&plan, true);
	kern_plan_finish(&plan);
	return object;
}

json_t *drive_plan(const char *variant, const struct mmt_problem *problem, const struct kern_device *device)
{
	struct kern_registry registry;
	const struct kern_variant *found;
	json_t *plan = NULL;

	if (kern_registry_init(&registry, NULL, NULL) != 0)
		return NULL;
	found = kern_registry_find(&registry, problem->family, variant);
	if (found != NULL)
		plan = plan_of(found, problem, device);
	kern_registry_finish(&registry);
	return plan;
}

json_t *drive_plan_of_source(const char *source, const char *options, const struct mmt_problem *problem,
			     const struct kern_device *device)
{
	json_t *plan = drive_plan("element", problem, device);
	json_t *step = json_array_get(json_object_get(plan, "steps"), 0);
	char sha256[KERN_SHA256_HEX_BYTES];

	if (step == NULL)
		return plan;
	kern_sha256_hex(source, strlen(source), sha256);
	json_object_set_new(step, "source", json_string(source));
	json_object_set_new(step, "source_sha256", json_string(sha256));
	if (options != NULL)
		json_object_set_new(step, "build_options", json_string(options));
	return plan;
}
