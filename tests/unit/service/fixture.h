/* fixture.h: a service without a socket: a toy family and variant, a fake worker, a database in a folder of its own.
 *
 * kern_family_table is defined here, so the linker leaves the generated one in
 * its archive: these tests do not depend on what the real families do.
 * Included once a program. */
#ifndef MMT_TESTS_SERVICE_FIXTURE_H
#define MMT_TESTS_SERVICE_FIXTURE_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "answers.h"
#include "demand.h"
#include "devices.h"
#include "jobs.h"
#include "store.h"

struct fixture {
	struct service service;
	uv_loop_t loop;
	uv_timer_t ticker; /* keeps the loop turning while something is waited for */
	struct kern_variant *variants[2];
	char folder[64], database[96];
	bool ready, stopped;
	struct mmt_error ready_error;
};

/* ---- families ---- */

static int fixture_check(const struct mmt_problem *problem, struct mmt_error *error)
{
	if (problem->m < 1 || problem->n < 1 || problem->k < 1)
		return mmt_error_set(error, MMT_INVALID_ARGUMENT, 0, "no such shape");
	return 0;
}

static size_t fixture_buffers(const struct mmt_problem *problem, struct kern_buffer out[KERN_MAX_BUFFERS])
{
	uint64_t bytes = mmt_type_bytes(problem->type);
	out[0] = (struct kern_buffer){
		.name = "a", .bytes = (uint64_t)problem->m * (uint64_t)problem->k * bytes, .input = true};
	out[1] = (struct kern_buffer){
		.name = "c", .bytes = (uint64_t)problem->m * (uint64_t)problem->n * bytes, .output = true};
	return 2;
}

static size_t fixture_scalars(const struct mmt_problem *problem, enum kern_check_mode mode,
			      struct kern_scalar out[KERN_MAX_SCALARS])
{
	(void)mode;
	out[0] = (struct kern_scalar){.name = "m", .kind = KERN_INT32, .integer = problem->m};
	return 1;
}

static double fixture_operations(const struct mmt_problem *problem)
{
	return 2.0 * (double)problem->m * (double)problem->n * (double)problem->k;
}

static double fixture_compulsory_bytes(const struct mmt_problem *problem)
{
	return (double)(problem->m * problem->k + problem->m * problem->n) * (double)mmt_type_bytes(problem->type);
}

static bool fixture_peak(enum mmt_type type, uint64_t memory_bytes, const char **peak, struct mmt_problem *out)
{
	(void)memory_bytes;
	mmt_problem_init(out);
	snprintf(out->family, sizeof out->family, "peak");
	out->type = type;
	out->m = out->n = out->k = 1000; /* the fake device takes as long for any size: a larger one passes this peak */
	*peak = "rate";
	return true;
}

static bool fixture_no_peak(enum mmt_type type, uint64_t memory_bytes, const char **peak, struct mmt_problem *out)
{
	(void)type, (void)memory_bytes, (void)peak, (void)out;
	return false;
}

static const struct kern_family fixture_matmul = {
	.name = "matmul",
	.check = fixture_check,
	.buffers = fixture_buffers,
	.scalars = fixture_scalars,
	.operations = fixture_operations,
	.compulsory_bytes = fixture_compulsory_bytes,
	.peak = fixture_no_peak,
};
static const struct kern_family fixture_peak_family = {
	.name = "peak",
	.check = fixture_check,
	.buffers = fixture_buffers,
	.scalars = fixture_scalars,
	.operations = fixture_operations,
	.compulsory_bytes = fixture_compulsory_bytes,
	.peak = fixture_peak,
};

extern const struct kern_family *const kern_family_table[];
const struct kern_family *const kern_family_table[] = {&fixture_matmul, &fixture_peak_family, NULL};

/* 12 configurations; T = 64 is refused where the device allows work-groups of 16 only */
#define FIXTURE_VARIANT(family)                                                                              \
	"{\"General\":{\"FormatVersion\":1},\"ConfigurationSpace\":{\"TuningParameters\":["                  \
	"{\"Name\":\"T\",\"Type\":\"int\",\"Values\":\"[1, 4, 16, 64]\",\"Default\":4},"                     \
	"{\"Name\":\"U\",\"Type\":\"int\",\"Values\":\"[1, 2, 8]\",\"Default\":1}],\"Conditions\":[]},"      \
	"\"KernelSpecification\":{\"Language\":\"OpenCL\",\"KernelName\":\"toy\",\"KernelFile\":\"toy.cl\"," \
	"\"CompilerOptions\":[],\"GlobalSize\":{\"X\":\"(ProblemSize[0] + T - 1) // T * T\"},"               \
	"\"LocalSize\":{\"X\":\"T\"},\"Arguments\":[{\"Name\":\"m\"},{\"Name\":\"a\"},{\"Name\":\"c\"}]},"   \
	"\"Mmtune\":{\"Family\":\"" family "\",\"Types\":[\"f32\",\"f64\"],\"Accuracy\":\"native\","         \
	"\"BytesRead\":\"m * k * element_bytes\",\"BytesWritten\":\"m * n * element_bytes\","                \
	"\"Priority\":{\"cpu\":1,\"gpu\":1,\"acc\":1}}}"

static inline struct kern_variant *fixture_variant(const char *file, const char *json, const char *source)
{
	struct mmt_error error = {0};
	struct kern_variant *variant = kern_variant_create(file, json, source, &error);
	if (!variant)
		fail_msg("%s", error.message);
	return variant;
}

/* ---- life ---- */

static inline void fixture_tick(uv_timer_t *timer)
{
	(void)timer;
}

/* Turns the loop until the flag is set; fails after so many seconds. */
static inline void fixture_wait(struct fixture *fixture, const bool *flag, double seconds)
{
	uint64_t end = uv_hrtime() + (uint64_t)(seconds * 1e9);
	while (!*flag && uv_hrtime() < end)
		uv_run(&fixture->loop, UV_RUN_ONCE);
	assert_true(*flag);
}

static inline void fixture_on_devices(struct service *service, const struct mmt_error *error)
{
	struct fixture *fixture = (struct fixture *)service;
	fixture->ready_error = error ? *error : (struct mmt_error){0};
	fixture->ready = true;
}

static inline void fixture_enumerate(struct fixture *fixture, const char *fake)
{
	setenv("MMTUNE_FAKE", fake, 1);
	fixture->ready = false;
	svc_devices_enumerate(fixture->service.devices, fixture_on_devices);
	fixture_wait(fixture, &fixture->ready, 20);
}

static inline void fixture_start(struct fixture *fixture, const char *fake)
{
	struct service *service = &fixture->service;
	struct db_opened opened;
	struct mmt_error error = {0};
	service->store = svc_store_create(&fixture->loop, fixture->database, &opened, &error);
	service->devices = service->store ? svc_devices_create(service, &error) : NULL;
	service->answers = service->devices ? svc_answers_create(service, &error) : NULL;
	service->demand = service->answers ? svc_demand_create(service, &error) : NULL;
	service->jobs = service->demand ? svc_jobs_create(service, &error) : NULL;
	if (!service->jobs)
		fail_msg("%s", error.message);
	fixture_enumerate(fixture, fake);
}

static inline void fixture_on_stopped(struct service *service)
{
	((struct fixture *)service)->stopped = true;
}

static inline void fixture_stop(struct fixture *fixture)
{
	struct service *service = &fixture->service;
	fixture->stopped = false;
	svc_jobs_drain(service->jobs, fixture_on_stopped);
	fixture_wait(fixture, &fixture->stopped, 20);
	svc_demand_flush(service->demand);
	svc_store_destroy(service->store);
	svc_jobs_destroy(service->jobs);
	svc_demand_destroy(service->demand);
	svc_answers_destroy(service->answers);
	svc_devices_destroy(service->devices);
	service->store = NULL;
	service->demand = NULL;
	service->jobs = NULL;
	service->answers = NULL;
	service->devices = NULL;
}

static inline void fixture_create(struct fixture *fixture)
{
	memset(fixture, 0, sizeof *fixture);
	signal(SIGPIPE, SIG_IGN);
	snprintf(fixture->folder, sizeof fixture->folder, "/tmp/mmtune-service-XXXXXX");
	assert_non_null(mkdtemp(fixture->folder));
	snprintf(fixture->database, sizeof fixture->database, "%s/mmtune.db", fixture->folder);
	assert_int_equal(uv_loop_init(&fixture->loop), 0);
	uv_timer_init(&fixture->loop, &fixture->ticker);
	uv_timer_start(&fixture->ticker, fixture_tick, 20, 20);
	struct service *service = &fixture->service;
	service->loop = &fixture->loop;
	assert_int_equal(config_init(&service->config, NULL), 0);
	assert_int_equal(config_set(&service->config, "service", "worker", FAKE_WORKER, NULL), 0);
	service->config.worker_nice = 0;
	service->config.builders = 0; /* candidates come in the strategy's order */
	service->config.budget_s = 20;
	service->config.launch_deadline_s = 1;
	fixture->variants[0] = fixture_variant("matmul/toy.json", FIXTURE_VARIANT("matmul"), "kernel void toy() {}\n");
	fixture->variants[1] = fixture_variant("peak/toy.json", FIXTURE_VARIANT("peak"), "kernel void toy() {}\n");
	service->kernels.variants = fixture->variants;
	service->kernels.n_variants = 2;
}

static inline void fixture_destroy(struct fixture *fixture)
{
	if (fixture->service.jobs)
		fixture_stop(fixture);
	uv_close((uv_handle_t *)&fixture->ticker, NULL);
	uv_run(&fixture->loop, UV_RUN_DEFAULT);
	assert_int_equal(uv_loop_close(&fixture->loop), 0); /* no handle is left behind */
	kern_variant_destroy(fixture->variants[0]);
	kern_variant_destroy(fixture->variants[1]);
	config_finish(&fixture->service.config);
	for (const char *const *end = (const char *const[]){"", "-wal", "-shm", NULL}; *end; end++) {
		char path[112];
		snprintf(path, sizeof path, "%s%s", fixture->database, *end);
		unlink(path);
	}
	assert_int_equal(rmdir(fixture->folder), 0);
	unsetenv("MMTUNE_FAKE");
}

static inline struct mmt_problem fixture_problem(int64_t order)
{
	struct mmt_problem problem;
	mmt_problem_init(&problem);
	problem.m = problem.n = problem.k = order;
	return problem;
}

/* ---- jobs ---- */

struct fixture_job {
	int64_t id;
	struct mmt_error error;
	bool queued, ended;
	json_t *last; /* progress */
	unsigned told;
};

static inline void fixture_on_queued(void *context, int64_t job_id, const struct mmt_error *error)
{
	struct fixture_job *job = context;
	job->id = job_id;
	if (error)
		job->error = *error;
	job->queued = true;
}

static inline void fixture_on_progress(void *context, const json_t *progress, bool last)
{
	struct fixture_job *job = context;
	json_decref(job->last);
	job->last = json_deep_copy(progress);
	job->ended = last;
	job->told++;
}

static inline void fixture_add(struct fixture *fixture, struct fixture_job *job, const struct svc_job_request *request)
{
	memset(job, 0, sizeof *job);
	svc_jobs_add(fixture->service.jobs, request, fixture_on_queued, job);
	fixture_wait(fixture, &job->queued, 10);
}

/* Of the unfinished job at this place in the queue's order; NULL: none. Caller frees. */
static inline json_t *fixture_progress_at(struct fixture *fixture, size_t index)
{
	json_t *all = svc_jobs_progress(fixture->service.jobs, index + 1);
	json_t *progress = json_incref(json_array_get(all, index));
	json_decref(all);
	return progress;
}

static inline void fixture_watch(struct fixture *fixture, struct fixture_job *job)
{
	assert_int_equal(job->error.code, MMT_OK);
	assert_int_equal(svc_jobs_watch(fixture->service.jobs, job->id, fixture_on_progress, job, NULL), 0);
}

static inline struct svc_job_request fixture_request(struct fixture *fixture, int64_t order)
{
	return (struct svc_job_request){
		.device = svc_devices_at(fixture->service.devices, 0),
		.problem = fixture_problem(order),
		.strategy = "exhaustive",
		.origin = SVC_JOB_CLIENT,
		.seed = 7,
	};
}

static inline const char *fixture_text(const json_t *object, const char *key)
{
	const char *text = json_string_value(json_object_get(object, key));
	return text ? text : "";
}

/* As the job was last told of. */
static inline int64_t fixture_evaluations(const struct fixture_job *job)
{
	return json_integer_value(json_object_get(job->last, "evaluations"));
}

/* Turns the loop until a watched job has so many; fails after 20 seconds. */
static inline void fixture_wait_evaluations(struct fixture *fixture, const struct fixture_job *job, int64_t least)
{
	uint64_t end = uv_hrtime() + (uint64_t)20e9;
	while (fixture_evaluations(job) < least && uv_hrtime() < end)
		uv_run(&fixture->loop, UV_RUN_ONCE);
	assert_true(fixture_evaluations(job) >= least);
}

static inline int64_t fixture_outcome(const struct fixture_job *job, const char *outcome)
{
	return json_integer_value(json_object_get(json_object_get(job->last, "outcomes"), outcome));
}

#endif
