/* serve.c: see serve.h. */
#include "serve.h"

#include <stdlib.h>
#include <string.h>

#include "candidate.h"
#include "compare.h"
#include "reference_run.h"
#include "wire.h"

static void release_all(struct worker_bench *bench)
{
	worker_anchor_finish(&bench->anchor);
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

struct comparison_context {
	struct worker_candidate *candidates;
	struct worker_bench *bench;
};

/* For worker_compare. */
static const struct worker_measurement *sample(void *context, size_t index)
{
	struct comparison_context *comparison = context;
	struct worker_candidate *candidate = &comparison->candidates[index];

	if (candidate->result.outcome == KERN_OUTCOME_OK && !comparison->bench->session.lost)
		worker_candidate_sample(candidate, comparison->bench);
	return candidate->result.outcome == KERN_OUTCOME_OK && !comparison->bench->session.lost
		       ? &candidate->measurement
		       : NULL;
}

static void rank(void *context, size_t index, double ratio, double error)
{
	struct kern_result *result = &((struct comparison_context *)context)->candidates[index].result;

	result->ratio = ratio;
	result->ratio_error = error;
}

/* A device lost under one plan leaves the others without a measurement. */
static void note_unmeasured(struct worker_candidate *candidate)
{
	const struct mmt_error error = {MMT_SKIPPED, 0, "the device was lost before this plan was measured"};

	if (candidate->result.outcome == KERN_OUTCOME_OK && candidate->measurement.n_samples == 0)
		worker_result_fail(&candidate->result, &error, KERN_OUTCOME_SKIPPED);
}

/* What the anchor holds must not be what a candidate lacks. */
static void init_candidate(struct worker_candidate *candidate, struct worker_bench *bench, const struct kern_plan *plan,
			   bool both_modes)
{
	worker_candidate_init(candidate, bench, plan, both_modes);
	if (candidate->result.outcome == KERN_OUTCOME_OUT_OF_MEMORY && bench->anchor.description != NULL &&
	    !bench->session.lost) {
		worker_anchor_finish(&bench->anchor);
		worker_candidate_finish(candidate, bench);
		worker_candidate_init(candidate, bench, plan, both_modes);
	}
}

static int run_candidates(struct worker_candidate *candidates, const struct worker_request *request,
			  struct worker_bench *bench, struct mmt_error *error)
{
	struct comparison_context context = {candidates, bench};
	const struct worker_comparison comparison = {request->n_plans, request->rounds, request->limit_ns, sample, rank,
						     &context};
	bool both_modes = request->general || request->operation == WORKER_COMPARE;
	int status = 0;

	for (size_t i = 0; i < request->n_plans && !bench->session.lost; i++)
		init_candidate(&candidates[i], bench, &request->plans[i], both_modes);
	if (request->operation == WORKER_COMPARE)
		status = worker_compare(&comparison, error);
	else if (candidates[0].result.outcome == KERN_OUTCOME_OK)
		worker_candidate_measure(&candidates[0], bench, request);
	for (size_t i = 0; i < request->n_plans; i++) {
		note_unmeasured(&candidates[i]);
		worker_candidate_finish(&candidates[i], bench);
	}
	return status;
}

/* An anchor belongs to the problem whose operands it is bound to. */
static int select_operands(struct worker_bench *bench, const struct mmt_problem *problem, struct mmt_error *error)
{
	if (bench->operands.family != NULL && !mmt_problem_equal(&bench->operands.problem, problem))
		worker_anchor_finish(&bench->anchor);
	return worker_operands_select(&bench->operands, &bench->session, problem, error);
}

static int serve_plans(const struct worker_request *request, struct worker_bench *bench, struct mmt_error *error)
{
	struct worker_candidate *candidates = NULL;
	struct kern_result *results = NULL;
	struct mmt_error why = {0};
	int status = -1;

	bench->request_id = request->id;
	if (select_operands(bench, &request->problem, &why) != 0)
		return send_refusal(request, bench, &why, error);
	candidates = calloc(request->n_plans, sizeof *candidates);
	results = calloc(request->n_plans, sizeof *results);
	if (candidates == NULL || results == NULL) {
		mmt_error_set(error, MMT_NO_MEMORY, 0, "no memory for %zu candidates", request->n_plans);
		goto out;
	}
	if (run_candidates(candidates, request, bench, error) != 0)
		goto out;
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
	if (select_operands(bench, &request->problem, &why) != 0)
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

/* Here the driver keeps what the first launch compiled, too. */
static int serve_rehearsal(const struct worker_request *request, struct worker_bench *bench, struct mmt_error *error)
{
	struct worker_candidate candidate;
	struct mmt_error why = {0};
	bool passed;

	bench->request_id = request->id;
	if (select_operands(bench, &request->problem, &why) != 0)
		return send_refusal(request, bench, &why, error);
	worker_candidate_init(&candidate, bench, &request->plans[0], false);
	worker_candidate_finish(&candidate, bench);
	if (!bench->session.lost)
		worker_programs_finish(&bench->programs);
	passed = candidate.result.outcome == KERN_OUTCOME_OK;
	return worker_send_results(request->id, &candidate.result, passed ? 0 : 1, error);
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
	} else if (request.operation == WORKER_REHEARSE) {
		status = serve_rehearsal(&request, bench, error);
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
