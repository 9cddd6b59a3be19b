/* serve.c: see serve.h. */
#include "serve.h"

#include <stdlib.h>
#include <string.h>

#include "candidate.h"
#include "protocol.h"
#include "reference_run.h"
#include "wire.h"

static void release_all(struct worker_bench *bench)
{
	worker_operands_finish(&bench->operands);
	worker_programs_finish(&bench->programs);
}

/* The same outcome for every plan of a request that could not be begun. */
static int send_refusal(const struct worker_request *request, const struct worker_bench *bench,
			const struct mmt_error *why, struct mmt_error *error)
{
	struct kern_result *results = calloc(request->n_results, sizeof *results);
	int status;

	if (results == NULL)
		return mmt_error_set(error, MMT_NO_MEMORY, 0, "no memory for %zu results", request->n_results);
	for (size_t i = 0; i < request->n_results; i++) {
		worker_result_fail(&results[i], why, KERN_OUTCOME_SKIPPED);
		results[i].device_lost = bench->session.lost;
	}
	status = worker_send_results(request->id, results, request->n_results, error);
	free(results);
	return status;
}

/* Interleaved, and each round begins with another plan: a clock that drops on the way drops for all. */
static void compare(struct worker_candidate *candidates, const struct worker_request *request,
		    struct worker_bench *bench)
{
	size_t n = request->n_plans;

	for (unsigned round = 0; round < request->rounds; round++) {
		for (size_t i = 0; i < n && !bench->session.lost; i++) {
			struct worker_candidate *candidate = &candidates[(i + round) % n];

			if (candidate->result.outcome == KERN_OUTCOME_OK)
				worker_candidate_sample(candidate, bench);
		}
	}
}

/* A device lost under one plan leaves the others without a measurement. */
static void note_unmeasured(struct worker_candidate *candidate)
{
	const struct mmt_error error = {MMT_SKIPPED, 0, "the device was lost before this plan was measured"};

	if (candidate->result.outcome == KERN_OUTCOME_OK && candidate->measurement.n_samples == 0)
		worker_result_fail(&candidate->result, &error, KERN_OUTCOME_SKIPPED);
}

static void run_candidates(struct worker_candidate *candidates, const struct worker_request *request,
			   struct worker_bench *bench)
{
	bool both_modes = request->general || request->operation == WORKER_COMPARE;

	for (size_t i = 0; i < request->n_plans && !bench->session.lost; i++)
		worker_candidate_init(&candidates[i], bench, &request->plans[i], both_modes);
	if (request->operation == WORKER_COMPARE)
		compare(candidates, request, bench);
	else if (candidates[0].result.outcome == KERN_OUTCOME_OK)
		worker_candidate_measure(&candidates[0], bench, request->give_up_ns);
	for (size_t i = 0; i < request->n_plans; i++) {
		note_unmeasured(&candidates[i]);
		worker_candidate_finish(&candidates[i], bench);
	}
}

static int serve_plans(const struct worker_request *request, struct worker_bench *bench, struct mmt_error *error)
{
	struct worker_candidate *candidates = NULL;
	struct kern_result *results = NULL;
	struct mmt_error why = {0};
	int status = -1;

	bench->request_id = request->id;
	if (worker_operands_select(&bench->operands, &bench->session, &request->problem, &why) != 0)
		return send_refusal(request, bench, &why, error);
	candidates = calloc(request->n_plans, sizeof *candidates);
	results = calloc(request->n_plans, sizeof *results);
	if (candidates == NULL || results == NULL) {
		mmt_error_set(error, MMT_NO_MEMORY, 0, "no memory for %zu candidates", request->n_plans);
		goto out;
	}
	run_candidates(candidates, request, bench);
	for (size_t i = 0; i < request->n_plans; i++)
		results[i] = candidates[i].result;
	status = worker_send_results(request->id, results, request->n_plans, error);
out:
	free(results);
	free(candidates);
	return status;
}

static int serve_reference(const struct worker_request *request, struct worker_bench *bench, struct mmt_error *error)
{
	struct kern_result result = {0};
	struct mmt_error why = {0};

	bench->request_id = request->id;
	if (worker_operands_select(&bench->operands, &bench->session, &request->problem, &why) != 0)
		return send_refusal(request, bench, &why, error);
	worker_reference_run(bench, request->reference, request->give_up_ns, &result);
	return worker_send_results(request->id, &result, 1, error);
}

/* What is built is dropped again: the driver's cache keeps it, for the worker that measures. */
static int serve_build(const struct worker_request *request, struct worker_bench *bench, struct mmt_error *error)
{
	struct kern_result result = {0};
	struct mmt_error why = {0};
	struct worker_run run;
	bool built;

	worker_send_phase(request->id, "build", NULL);
	built = worker_run_build(&run, &bench->session, &bench->programs, &request->plans[0], &why) == 0;
	worker_run_finish(&run);
	worker_programs_finish(&bench->programs);
	if (!built)
		worker_result_fail(&result, &why, KERN_OUTCOME_BUILD_FAILED);
	return worker_send_results(request->id, &result, built ? 0 : 1, error);
}

static int serve_message(const json_t *message, struct worker_bench *bench, struct mmt_error *error)
{
	struct worker_request request;
	struct mmt_error why = {0};
	int status = 0;

	if (worker_request_init(&request, message, &why) != 0) {
		if (request.id > 0 && request.n_results > 0) {
			status = send_refusal(&request, bench, &why, error);
		} else {
			*error = why;
			status = -1;
		}
	} else if (request.operation == WORKER_IDLE) {
		release_all(bench);
	} else if (request.operation == WORKER_BUILD) {
		status = serve_build(&request, bench, error);
	} else if (request.operation == WORKER_REFERENCE) {
		status = serve_reference(&request, bench, error);
	} else {
		status = serve_plans(&request, bench, error);
	}
	worker_request_finish(&request);
	return status;
}

static int serve_all(struct worker_bench *bench, struct mmt_error *error)
{
	struct wire_reader reader;
	json_t *message = NULL;
	int status;

	wire_reader_init(&reader, WIRE_REPLY_LIMIT_BYTES);
	while ((status = wire_receive(KERN_WORKER_FD, &reader, -1, &message, error)) == 0 && message != NULL) {
		status = serve_message(message, bench, error);
		json_decref(message);
		if (status != 0 || bench->session.lost)
			break;
	}
	wire_reader_finish(&reader);
	return status;
}

int worker_serve(const char *fingerprint, struct mmt_error *error)
{
	struct worker_bench *bench = calloc(1, sizeof *bench);
	int status = -1;

	if (bench == NULL)
		return mmt_error_set(error, MMT_NO_MEMORY, 0, "no memory for the worker");
	if (worker_session_init(&bench->session, fingerprint, error) == 0 &&
	    worker_send_hello(&bench->session.device, worker_reference_list(), error) == 0)
		status = serve_all(bench, error);
	/* What a lost driver still holds goes with the process */
	if (!bench->session.lost)
		release_all(bench);
	worker_session_finish(&bench->session);
	free(bench);
	return status;
}
