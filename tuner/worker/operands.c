/* operands.c: see operands.h. */
#include "operands.h"

#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

#include "registry.h"

/* Fresh inputs for each worker: a kernel cannot be right by luck for ever. */
static uint64_t fresh_seed(void)
{
	uint64_t seed;

	if (getrandom(&seed, sizeof seed, 0) != (ssize_t)sizeof seed)
		seed = (uint64_t)worker_now_ns();
	return seed;
}

static int allocate(struct worker_operands *operands, struct worker_session *session, struct mmt_error *error)
{
	uint64_t largest = 0;

	for (size_t i = 0; i < operands->n_buffers; i++) {
		const struct kern_buffer *buffer = &operands->buffers[i];

		if (worker_guarded_init(&operands->memory[i], session, buffer->name, buffer->bytes, error) != 0)
			return -1;
		if (buffer->output && buffer->bytes > largest)
			largest = buffer->bytes;
	}
	operands->result = malloc(largest > 0 ? largest : 1);
	if (operands->result == NULL)
		return mmt_error_set(error, MMT_NO_MEMORY, 0, "no memory on the host to read a result back");
	return 0;
}

int worker_operands_select(struct worker_operands *operands, struct worker_session *session,
			   const struct mmt_problem *problem, struct mmt_error *error)
{
	const struct kern_family *family = kern_family_find(problem->family);

	if (operands->family != NULL && mmt_problem_equal(&operands->problem, problem))
		return 0;
	worker_operands_finish(operands);
	if (family == NULL)
		return mmt_error_set(error, MMT_INVALID_ARGUMENT, 0, "there is no family '%s'", problem->family);
	if (family->check(problem, error) != 0)
		return -1;
	operands->n_buffers = family->buffers(problem, operands->buffers);
	operands->checker = family->checker_create(problem, fresh_seed(), error);
	operands->family = family;
	operands->problem = *problem;
	if (operands->checker == NULL || allocate(operands, session, error) != 0) {
		worker_operands_finish(operands);
		return -1;
	}
	return 0;
}

void worker_operands_finish(struct worker_operands *operands)
{
	for (size_t i = 0; i < operands->n_buffers; i++)
		worker_guarded_finish(&operands->memory[i]);
	if (operands->checker != NULL)
		operands->family->checker_destroy(operands->checker);
	free(operands->result);
	memset(operands, 0, sizeof *operands);
}

void worker_operands_distrust(struct worker_operands *operands)
{
	operands->trusted = false;
	memset(operands->held, 0, sizeof operands->held);
}

static int arm_all(struct worker_operands *operands, struct worker_session *session, struct mmt_error *error)
{
	for (size_t i = 0; i < operands->n_buffers; i++) {
		if (worker_guarded_arm(&operands->memory[i], session, error) != 0)
			return -1;
	}
	operands->trusted = true;
	return 0;
}

/* What must be there before a launch: the poison of an output, else the host's bytes, where they are not there yet. */
static int fill(struct worker_operands *operands, struct worker_session *session, enum kern_check_mode mode, size_t i,
		struct mmt_error *error)
{
	const struct kern_buffer *buffer = &operands->buffers[i];
	const struct worker_guarded *memory = &operands->memory[i];
	const void *contents;

	if (buffer->output && mode == KERN_CHECK_PLAIN)
		return worker_session_poison(session, memory->buffer, memory->bytes, error);
	contents = operands->family->contents(operands->checker, mode, buffer->name);
	if (contents == NULL)
		return mmt_error_set(error, MMT_FAILED, 0, "family '%s' has no contents for buffer '%s'",
				     operands->family->name, buffer->name);
	if (!buffer->output && operands->held[i] == contents)
		return 0;
	if (worker_session_write(session, memory->buffer, 0, buffer->bytes, contents, error) != 0)
		return -1;
	operands->held[i] = buffer->output ? NULL : contents;
	return 0;
}

int worker_operands_fill(struct worker_operands *operands, struct worker_session *session, enum kern_check_mode mode,
			 struct mmt_error *error)
{
	if (!operands->trusted && arm_all(operands, session, error) != 0)
		return -1;
	for (size_t i = 0; i < operands->n_buffers; i++) {
		if (fill(operands, session, mode, i, error) != 0)
			return -1;
	}
	return 0;
}

static int judge(struct worker_operands *operands, struct worker_session *session, enum kern_check_mode mode,
		 bool quick, size_t i, double *relative_error, struct mmt_error *error)
{
	const struct kern_family *family = operands->family;
	const struct kern_buffer *buffer = &operands->buffers[i];
	cl_mem memory = operands->memory[i].buffer;
	struct kern_sample sample;

	if (quick && family->sample != NULL && family->sample(operands->checker, buffer->name, &sample)) {
		if (worker_session_read_rows(session, memory, &sample, operands->result, error) != 0)
			return -1;
		return family->verify_sample(operands->checker, mode, buffer->name, operands->result, relative_error,
					     error);
	}
	if (worker_session_read(session, memory, 0, buffer->bytes, operands->result, error) != 0)
		return -1;
	return family->verify(operands->checker, mode, buffer->name, operands->result, relative_error, error);
}

int worker_operands_check(struct worker_operands *operands, struct worker_session *session, enum kern_check_mode mode,
			  bool quick, double *relative_error, struct mmt_error *error)
{
	*relative_error = 0;
	for (size_t i = 0; i < operands->n_buffers; i++) {
		if (worker_guarded_check(&operands->memory[i], session, operands->buffers[i].name, error) != 0)
			return -1;
	}
	for (size_t i = 0; i < operands->n_buffers; i++) {
		double of_buffer = 0;

		if (!operands->buffers[i].output)
			continue;
		if (judge(operands, session, mode, quick, i, &of_buffer, error) != 0)
			return -1;
		if (of_buffer > *relative_error)
			*relative_error = of_buffer;
	}
	return 0;
}

cl_mem worker_operands_find(const struct worker_operands *operands, const char *name)
{
	for (size_t i = 0; i < operands->n_buffers; i++) {
		if (strcmp(operands->buffers[i].name, name) == 0)
			return operands->memory[i].buffer;
	}
	return NULL;
}
