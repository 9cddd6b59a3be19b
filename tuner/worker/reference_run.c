/* reference_run.c: see reference_run.h. */
#include "reference_run.h"

#include <string.h>

#include "protocol.h"
#include "reference.h"

struct job {
	const struct worker_reference *reference;
	struct worker_bench *bench;
	struct worker_gemm gemm;
	void *library;
	double warm_up_ns; /* the verification's run */
};

static int append_kind(json_t *list, enum worker_reference_kind kind)
{
	for (size_t i = 0; worker_references[i] != NULL; i++) {
		const struct worker_reference *reference = worker_references[i];
		json_t *entry = NULL;

		if (reference->kind != kind)
			continue;
		entry = json_pack("{s:s, s:s, s:s}", "name", reference->name, "summary", reference->summary, "kind",
				  worker_reference_kind_name(kind));
		if (json_array_append_new(list, entry) != 0)
			return -1;
	}
	return 0;
}

/* By kind: what others are held against comes first. */
json_t *worker_reference_list(void)
{
	json_t *list = json_array();

	for (int kind = 0; kind < WORKER_REFERENCE_KINDS; kind++) {
		if (append_kind(list, (enum worker_reference_kind)kind) != 0) {
			json_decref(list);
			return NULL;
		}
	}
	return list;
}

static int check(const struct worker_reference *reference, const char *name, const struct mmt_problem *problem,
		 struct mmt_error *error)
{
	if (reference == NULL)
		return mmt_error_set(error, MMT_NOT_SUPPORTED, 0, "there is no reference '%.64s'", name);
	if (strcmp(problem->family, "matmul") != 0)
		return mmt_error_set(error, MMT_NOT_SUPPORTED, 0, "%s computes matmul only", reference->name);
	if (!(reference->type_mask & 1U << problem->type))
		return mmt_error_set(error, MMT_NOT_SUPPORTED, 0, "%s has no %s", reference->name,
				     mmt_type_name(problem->type));
	if (reference->missing != NULL)
		return mmt_error_set(error, MMT_NOT_SUPPORTED, 0, "%s", reference->missing);
	return 0;
}

/* The family's inputs as it made them; C where a result is read back to, or all three on the device. */
static void describe(struct job *job)
{
	const struct worker_operands *operands = &job->bench->operands;
	const struct mmt_problem *problem = &operands->problem;
	struct worker_gemm *gemm = &job->gemm;

	*gemm = (struct worker_gemm){
		.type = problem->type,
		.m = problem->m,
		.n = problem->n,
		.k = problem->k,
		.trans_a = problem->trans & 2,
		.trans_b = problem->trans & 1,
		.ldc = problem->n,
		.alpha = 1,
		.beta = 0,
		.a = operands->family->contents(operands->checker, KERN_CHECK_PLAIN, "a"),
		.b = operands->family->contents(operands->checker, KERN_CHECK_PLAIN, "b"),
		.c = operands->result,
		.device_a = worker_operands_find(operands, "a"),
		.device_b = worker_operands_find(operands, "b"),
		.device_c = worker_operands_find(operands, "c"),
		.queue = job->bench->session.queue,
	};
	gemm->lda = gemm->trans_a ? gemm->m : gemm->k;
	gemm->ldb = gemm->trans_b ? gemm->k : gemm->n;
}

/* C poisoned before, judged after; on the device its canaries too. */
static int verify(struct job *job, double *relative_error, struct mmt_error *error)
{
	struct worker_bench *bench = job->bench;
	struct worker_operands *operands = &bench->operands;
	const struct worker_gemm *gemm = &job->gemm;
	const size_t c_bytes = (size_t)gemm->m * (size_t)gemm->n * mmt_type_bytes(gemm->type);
	double started_ns;

	if (job->reference->on_device) {
		if (worker_operands_fill(operands, &bench->session, KERN_CHECK_PLAIN, error) != 0)
			return -1;
	} else {
		memcpy(gemm->c, operands->family->contents(operands->checker, KERN_CHECK_PLAIN, "c"), c_bytes);
	}
	started_ns = worker_now_ns();
	if (job->reference->run(job->library, gemm, error) != 0)
		return -1;
	job->warm_up_ns = worker_now_ns() - started_ns;
	if (job->reference->on_device)
		return worker_operands_check(operands, &bench->session, KERN_CHECK_PLAIN, false, relative_error, error);
	return operands->family->verify(operands->checker, KERN_CHECK_PLAIN, "c", gemm->c, relative_error, error);
}

static int time_runs(void *context, unsigned repeats, struct worker_timing *out, struct mmt_error *error)
{
	struct job *job = context;
	double started_ns = worker_now_ns();

	for (unsigned i = 0; i < repeats; i++) {
		if (job->reference->run(job->library, &job->gemm, error) != 0)
			return -1;
	}
	out->host_ns = worker_now_ns() - started_ns;
	return 0;
}

static void tell_alive(void *context)
{
	struct job *job = context;

	worker_send_phase(job->bench->request_id, "measure", NULL);
}

static int measure(struct job *job, double give_up_ns, struct kern_result *result, struct mmt_error *error)
{
	struct worker_clock clock;
	const struct worker_timer timer = {time_runs, tell_alive, job, &clock};
	struct worker_measurement measurement;
	int status = 0;

	worker_clock_init(&clock, 0);
	clock.host = true;
	worker_measurement_init(&measurement);
	tell_alive(job);
	/* Unlike a kernel's, a loop's first run compiles nothing: it can stand for a slow one */
	if (give_up_ns > 0 && job->warm_up_ns > give_up_ns && !job->reference->on_device) {
		worker_measurement_give_up(&measurement, job->warm_up_ns);
		measurement.host_clock = true;
	} else {
		status = worker_measure(&measurement, &timer, give_up_ns, error);
	}
	if (status == 0)
		worker_measurement_result(&measurement, result);
	return status;
}

static int verify_and_measure(struct job *job, double give_up_ns, struct kern_result *result, struct mmt_error *error)
{
	double started_ns = worker_now_ns(), verified_ns;
	int status;

	worker_send_phase(job->bench->request_id, "verify", NULL);
	status = verify(job, &result->relative_error, error);
	verified_ns = worker_now_ns();
	result->verify_ns = verified_ns - started_ns;
	if (status == 0)
		status = measure(job, give_up_ns, result, error);
	result->measure_ns = worker_now_ns() - verified_ns;
	result->total_ns = worker_now_ns() - started_ns;
	return status;
}

void worker_reference_run(struct worker_bench *bench, const char *name, double give_up_ns, struct kern_result *result)
{
	struct job job = {.reference = worker_reference_find(name), .bench = bench};
	struct worker_session *session = &bench->session;
	struct mmt_error error = {0};
	int status = check(job.reference, name, &bench->operands.problem, &error);

	if (status == 0 && job.reference->open != NULL) {
		job.library = job.reference->open(&error);
		status = job.library != NULL ? 0 : -1;
	}
	if (status == 0) {
		describe(&job);
		status = verify_and_measure(&job, give_up_ns, result, &error);
		if (job.reference->on_device && status != 0)
			worker_operands_distrust(&bench->operands);
	}
	if (job.library != NULL)
		job.reference->close(job.library);
	if (status != 0)
		worker_result_fail(result, &error, KERN_OUTCOME_LAUNCH_FAILED);
	else if (job.reference->note != NULL && job.reference->note() != NULL)
		worker_message_set(result, job.reference->note());
	/* As after a candidate: memory outside a buffer is this process's own */
	if (session->damaged && session->device.type == KERN_CPU)
		session->lost = true;
	session->damaged = false;
	result->device_lost = session->lost;
}
