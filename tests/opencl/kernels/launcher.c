/* launcher.c: see launcher.h. */
#include "launcher.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "enumerate.h"

#define EXIT_SKIPPED 77
#define GAP_BYTE     0xff /* NaN in every type */

int launcher_init(struct launcher *launcher)
{
	struct worker_devices list;
	struct mmt_error error = {0};
	int status = 1;

	memset(launcher, 0, sizeof *launcher);
	if (worker_devices_init(&list, &error) == 0)
		status = list.n_devices == 0 ? EXIT_SKIPPED : 0;
	if (status == 0 && (worker_session_init(&launcher->session, list.devices[0].fingerprint, &error) != 0 ||
			    kern_registry_init(&launcher->registry, NULL, &error) != 0))
		status = 1;
	worker_devices_finish(&list);
	if (status != 0)
		fprintf(stderr, "%s\n", status == EXIT_SKIPPED ? "there is no OpenCL device" : error.message);
	return status;
}

void launcher_finish(struct launcher *launcher)
{
	worker_programs_finish(&launcher->programs);
	worker_session_finish(&launcher->session);
	kern_registry_finish(&launcher->registry);
}

static uint16_t find_value(const struct kern_parameter *parameter, const char *wanted)
{
	char value[128];

	for (size_t i = 0; i < parameter->n_values; i++)
		if (strcmp(expr_value_text(&parameter->values[i], value, sizeof value), wanted) == 0)
			return (uint16_t)i;
	fail_msg("%s has no value %s", parameter->name, wanted);
	return 0;
}

void launcher_configure(const struct launcher *launcher, const struct kern_variant *variant, const char *text,
			uint16_t *indices)
{
	char name[KERN_IDENTIFIER_BYTES], value[64];
	int length;

	for (size_t i = 0; i < variant->n_parameters; i++)
		indices[i] = (uint16_t)variant->parameters[i].defaults[launcher->session.device.type];
	for (; sscanf(text, " %63[A-Z_0-9]=%63s%n", name, value, &length) == 2; text += length) {
		size_t i = 0;
		while (i < variant->n_parameters && strcmp(variant->parameters[i].name, name) != 0)
			i++;
		if (i == variant->n_parameters)
			fail_msg("%s has no parameter %s", variant->name, name);
		indices[i] = find_value(&variant->parameters[i], value);
	}
}

/* One check, in one place. */
struct check {
	struct launcher *launcher;
	const struct kern_family *family;
	const struct mmt_problem *problem;
	enum kern_check_mode mode;
	const struct launcher_matrix *matrices;
	struct kern_plan plan;
	struct worker_operands operands;
	struct worker_run run;
	struct mmt_error *error;
};

static const struct launcher_matrix *find_matrix(const struct check *check, const char *buffer)
{
	for (const struct launcher_matrix *matrix = check->matrices; matrix && matrix->buffer; matrix++)
		if (strcmp(matrix->buffer, buffer) == 0)
			return matrix;
	return NULL;
}

/* Bytes of a buffer as it lies on the device: the last row has no gap. */
static uint64_t laid_out_bytes(const struct check *check, const struct kern_buffer *buffer)
{
	const struct launcher_matrix *matrix = find_matrix(check, buffer->name);

	if (!matrix)
		return buffer->bytes;
	return buffer->bytes +
	       (uint64_t)(matrix->rows - 1) * (uint64_t)matrix->gap * mmt_type_bytes(check->problem->type);
}

/* Copies rows between a tight and a laid-out matrix. */
static void copy_rows(const struct check *check, const struct kern_buffer *buffer, char *laid_out, char *tight,
		      bool to_tight)
{
	const struct launcher_matrix *matrix = find_matrix(check, buffer->name);
	const size_t size = mmt_type_bytes(check->problem->type);
	const size_t row = matrix ? (size_t)matrix->columns * size : buffer->bytes;
	const size_t gap = matrix ? (size_t)matrix->gap * size : 0;
	const size_t rows = matrix ? (size_t)matrix->rows : 1;

	for (size_t i = 0; i < rows; i++) {
		if (to_tight)
			memcpy(tight + i * row, laid_out + i * (row + gap), row);
		else
			memcpy(laid_out + i * (row + gap), tight + i * row, row);
	}
}

/* The scalars of the mode, and leading dimensions as the matrices lie. */
static void set_plan_scalars(struct check *check)
{
	struct kern_scalar scalars[KERN_MAX_SCALARS];
	const size_t count = check->family->scalars(check->problem, check->mode, scalars);

	for (const struct launcher_matrix *matrix = check->matrices; matrix && matrix->buffer; matrix++)
		for (size_t i = 0; i < count; i++)
			if (strcmp(scalars[i].name, matrix->leading) == 0)
				scalars[i].integer = matrix->columns + matrix->gap;
	for (size_t i = 0; i < check->plan.n_launches; i++) {
		struct kern_launch *launch = &check->plan.launches[i];
		for (size_t j = 0; j < launch->n_arguments; j++)
			for (size_t k = 0; k < count; k++)
				if (strcmp(launch->arguments[j].name, scalars[k].name) == 0) {
					launch->arguments[j].scalar.integer = scalars[k].integer;
					launch->arguments[j].scalar.real = scalars[k].real;
				}
	}
}

/* Makes the build options of all sizes equal where the source knows no sizes. */
static void forget_sizes(struct kern_plan *plan)
{
	for (size_t i = 0; i < plan->n_launches; i++) {
		char *sizes = strstr(plan->launches[i].build_options, " -DPROBLEM_M=");
		if (!sizes || strstr(plan->launches[i].source, "PROBLEM_"))
			continue;
		const char *rest = strstr(sizes, " -DPROBLEM_K=");
		rest = strchr(rest + 1, ' ');
		memmove(sizes, rest ? rest : "", strlen(rest ? rest : "") + 1);
	}
}

static int upload(struct check *check)
{
	struct worker_operands *operands = &check->operands;
	int status = 0;

	operands->n_buffers = check->family->buffers(check->problem, operands->buffers);
	for (size_t i = 0; status == 0 && i < operands->n_buffers; i++) {
		const struct kern_buffer *buffer = &operands->buffers[i];
		const uint64_t bytes = laid_out_bytes(check, buffer);
		char *host = malloc(bytes);

		assert_non_null(host);
		memset(host, GAP_BYTE, bytes);
		copy_rows(check, buffer, host,
			  (char *)check->family->contents(operands->checker, check->mode, buffer->name), false);
		if (worker_guarded_init(&operands->memory[i], &check->launcher->session, buffer->name, bytes,
					check->error) != 0 ||
		    worker_guarded_arm(&operands->memory[i], &check->launcher->session, check->error) != 0 ||
		    worker_session_write(&check->launcher->session, operands->memory[i].buffer, 0, bytes, host,
					 check->error) != 0)
			status = -1;
		free(host);
	}
	return status;
}

/* Looks at the rows, then overwrites them: what is left must be gaps. */
static int judge(struct check *check, const struct kern_buffer *buffer, char *laid_out, uint64_t bytes)
{
	double relative_error;
	char *tight = malloc(buffer->bytes);
	int status;

	assert_non_null(tight);
	copy_rows(check, buffer, laid_out, tight, true);
	status = check->family->verify(check->operands.checker, check->mode, buffer->name, tight, &relative_error,
				       check->error);
	memset(tight, GAP_BYTE, buffer->bytes);
	copy_rows(check, buffer, laid_out, tight, false);
	for (uint64_t i = 0; status == 0 && i < bytes; i++)
		if ((unsigned char)laid_out[i] != GAP_BYTE)
			status = mmt_error_set(check->error, MMT_WRONG_RESULT, 0,
					       "'%s': byte %zu, between rows, was written", buffer->name, (size_t)i);
	free(tight);
	return status;
}

static int download_and_judge(struct check *check)
{
	struct worker_operands *operands = &check->operands;
	int status = 0;

	for (size_t i = 0; status == 0 && i < operands->n_buffers; i++) {
		const struct kern_buffer *buffer = &operands->buffers[i];
		const uint64_t bytes = laid_out_bytes(check, buffer);

		status = worker_guarded_check(&operands->memory[i], &check->launcher->session, buffer->name,
					      check->error);
		if (status != 0 || !buffer->output)
			continue;
		char *host = malloc(bytes);
		assert_non_null(host);
		status = worker_session_read(&check->launcher->session, operands->memory[i].buffer, 0, bytes, host,
					     check->error);
		if (status == 0)
			status = judge(check, buffer, host, bytes);
		free(host);
	}
	return status;
}

static int launch_and_judge(struct check *check)
{
	struct worker_session *session = &check->launcher->session;
	struct worker_timing timing;

	set_plan_scalars(check);
	forget_sizes(&check->plan);
	check->operands.problem = *check->problem;
	check->operands.checker = check->family->checker_create(check->problem, 1, check->error);
	if (!check->operands.checker || upload(check) != 0 ||
	    worker_run_build(&check->run, session, &check->launcher->programs, &check->plan, check->error) != 0 ||
	    worker_run_bind(&check->run, session, &check->operands, check->error) != 0 ||
	    worker_run_poison(&check->run, session, check->error) != 0 ||
	    worker_run_set_scalars(&check->run, session, &check->operands, KERN_CHECK_PLAIN, check->error) != 0 ||
	    worker_run_time(&check->run, session, 1, &timing, check->error) != 0 ||
	    worker_run_check(&check->run, session, check->error) != 0)
		return -1;
	return download_and_judge(check);
}

int launcher_check(struct launcher *launcher, const struct kern_variant *variant, const struct mmt_problem *problem,
		   const uint16_t *indices, enum kern_check_mode mode, const struct launcher_matrix *matrices,
		   struct mmt_error *error)
{
	struct check check = {.launcher = launcher,
			      .family = kern_family_find(problem->family),
			      .problem = problem,
			      .mode = mode,
			      .matrices = matrices,
			      .error = error};
	int status;

	if (kern_plan_init(&check.plan, variant, problem, indices, &launcher->session.device, error) != 0)
		return -1;
	status = launch_and_judge(&check);
	worker_run_finish(&check.run);
	for (size_t i = 0; i < check.operands.n_buffers; i++)
		worker_guarded_finish(&check.operands.memory[i]);
	check.family->checker_destroy(check.operands.checker);
	kern_plan_finish(&check.plan);
	return status;
}
