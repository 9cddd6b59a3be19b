/* build.c: see build.h. */
#include "build.h"

#include <stdlib.h>
#include <string.h>

#define LONGEST_LOG ((size_t)1 << 24)

static void forget(struct worker_program *place)
{
	if (place->program != NULL)
		clReleaseProgram(place->program);
	free(place->source);
	free(place->options);
	memset(place, 0, sizeof *place);
}

void worker_programs_finish(struct worker_programs *programs)
{
	for (size_t i = 0; i < WORKER_PROGRAMS; i++)
		forget(&programs->places[i]);
}

static struct worker_program *find(struct worker_programs *programs, const char *source, const char *options)
{
	for (size_t i = 0; i < WORKER_PROGRAMS; i++) {
		struct worker_program *place = &programs->places[i];

		if (place->program != NULL && strcmp(place->options, options) == 0 &&
		    strcmp(place->source, source) == 0)
			return place;
	}
	return NULL;
}

static struct worker_program *oldest(struct worker_programs *programs)
{
	struct worker_program *place = &programs->places[0];

	for (size_t i = 1; i < WORKER_PROGRAMS; i++) {
		if (programs->places[i].used < place->used)
			place = &programs->places[i];
	}
	return place;
}

/* Compilers put warnings first, and the record has room for a few lines. */
static const char *first_error(const char *log)
{
	const char *found = strcasestr(log, "error");

	if (found == NULL)
		return log + strspn(log, " \t\r\n");
	while (found > log && found[-1] != '\n')
		found--;
	return found;
}

static void build_failed(struct worker_session *session, cl_program program, cl_int status, struct mmt_error *error)
{
	size_t length = 0;
	char *log = NULL;

	clGetProgramBuildInfo(program, session->id, CL_PROGRAM_BUILD_LOG, 0, NULL, &length);
	if (length > 0 && length <= LONGEST_LOG)
		log = calloc(1, length + 1);
	if (log != NULL &&
	    clGetProgramBuildInfo(program, session->id, CL_PROGRAM_BUILD_LOG, length, log, NULL) == CL_SUCCESS)
		mmt_error_set(error, MMT_FAILED, status, "%s (%d): %s", worker_cl_name(status), status,
			      first_error(log));
	else
		mmt_error_set(error, MMT_FAILED, status, "clBuildProgram: %s (%d), without a log",
			      worker_cl_name(status), status);
	free(log);
}

/* NULL on failure. */
static cl_program build(struct worker_session *session, const char *source, const char *options,
			struct mmt_error *error)
{
	cl_int status;
	cl_program program;

	worker_meter_enter(&session->meter);
	program = clCreateProgramWithSource(session->context, 1, &source, NULL, &status);
	if (program != NULL)
		status = clBuildProgram(program, 1, &session->id, options, NULL, NULL);
	worker_meter_leave(&session->meter);
	if (program == NULL) {
		worker_cl_error(error, status, "clCreateProgramWithSource");
	} else if (status != CL_SUCCESS) {
		build_failed(session, program, status, error);
		clReleaseProgram(program);
		program = NULL;
	}
	return program;
}

int worker_programs_get(struct worker_programs *programs, struct worker_session *session, const char *source,
			const char *options, cl_program *out, struct mmt_error *error)
{
	struct worker_program *place = find(programs, source, options);

	if (place == NULL) {
		cl_program program = build(session, source, options, error);

		if (program == NULL)
			return -1;
		place = oldest(programs);
		forget(place);
		place->program = program;
		place->source = strdup(source);
		place->options = strdup(options);
		if (place->source == NULL || place->options == NULL) {
			forget(place);
			return mmt_error_set(error, MMT_NO_MEMORY, 0, "no memory for a program's source");
		}
	}
	place->used = ++programs->uses;
	*out = place->program;
	return 0;
}
