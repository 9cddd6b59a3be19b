/* tune.c: searches now, and watches.
 *
 * The job is the service's: whatever happens to this process, it goes on and
 * what it measured stays. stdout gets the answer at the end (with --json every
 * reply of the stream, one a line), stderr the progress. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "answer.h"
#include "fields.h"
#include "interrupt.h"
#include "problem_options.h"
#include "progress.h"
#include "values.h"
#include "verb.h"
#include "wire.h"

static const struct cli_option options[] = {
	{"budget", "TIME", false, NULL, "wall time: 500ms, 60s, 2m, 1h; default: the service's"},
	{"evaluations", "N", false, NULL, "stop after so many candidates"},
	{"until", "FRACTION", false, "best", "0.8 or 80% of the measured peak; best: nothing left to gain"},
	{"strategy", "NAME", false, CLI_CHOICES_STRATEGIES, "search strategy; default: the service's"},
	{"seed", "N", false, NULL, "of the search's random numbers; default: the job's number"},
	{"variant", "NAME", false, NULL, "search this variant only; default: all"},
	{"no-wait", NULL, false, NULL, "queue the job, print it and return"},
	{"verbose", NULL, false, NULL, "where there is no terminal for a bar, print lines"},
	{NULL, NULL, false, NULL, NULL},
};

/* What happens while a job is watched. */
struct watch {
	struct cli_context *context;
	struct cli_progress progress;
	struct cli_interrupt interrupt;
	json_t *last;     /* the newest progress object */
	int output_errno; /* why a line could not be written; 0: all were */
};

static int set_new(json_t *parameters, const char *key, json_t *value, struct mmt_error *error)
{
	if (json_object_set_new(parameters, key, value) == 0)
		return 0;
	return mmt_error_set(error, MMT_INVALID_ARGUMENT, 0, "--%s is not UTF-8", key);
}

static int add_limits(const struct cli_context *context, json_t *parameters, struct mmt_error *error)
{
	const char *budget = cli_value(context, "budget"), *evaluations = cli_value(context, "evaluations");
	const char *until = cli_value(context, "until"), *seed = cli_value(context, "seed");
	double budget_s, fraction;
	int64_t count, seed_value;
	if (budget != NULL && (cli_parse_duration_s("--budget", budget, &budget_s, error) != 0 ||
			       set_new(parameters, "budget_s", json_real(budget_s), error) != 0))
		return -1;
	if (evaluations != NULL && (cli_parse_integer("--evaluations", evaluations, 1, INT64_MAX, &count, error) != 0 ||
				    set_new(parameters, "evaluations", json_integer(count), error) != 0))
		return -1;
	if (until != NULL && strcmp(until, "best") == 0) {
		if (set_new(parameters, "until_best", json_true(), error) != 0)
			return -1;
	} else if (until != NULL && (cli_parse_fraction("--until", until, &fraction, error) != 0 ||
				     set_new(parameters, "until", json_real(fraction), error) != 0)) {
		return -1;
	}
	if (seed != NULL && (cli_parse_integer("--seed", seed, 0, INT64_MAX, &seed_value, error) != 0 ||
			     set_new(parameters, "seed", json_integer(seed_value), error) != 0))
		return -1;
	return 0;
}

static int add_choices(const struct cli_context *context, json_t *parameters, struct mmt_error *error)
{
	static const char *const names[] = {"strategy", "variant"};
	for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
		const char *value = cli_value(context, names[i]);
		if (value != NULL && value[0] == '\0')
			return mmt_error_set(error, MMT_INVALID_ARGUMENT, 0, "--%s needs a name, but is empty",
					     names[i]);
		if (value != NULL && set_new(parameters, names[i], json_string(value), error) != 0)
			return -1;
	}
	return 0;
}

static int on_reply(void *argument, const char *text, bool continues)
{
	struct watch *watch = argument;
	(void)continues;
	if (cli_is_given(watch->context, "json")) {
		puts(text);
		watch->output_errno = fflush(stdout) != 0 ? errno : 0;
	}
	json_t *reply = wire_decode(text, strlen(text), NULL);
	json_t *state = json_object_get(reply, "progress");
	if (state != NULL) {
		json_decref(watch->last);
		watch->last = json_incref(state);
		atomic_store(&watch->interrupt.job, cli_field_integer(state, "job"));
		if (!cli_is_given(watch->context, "json"))
			cli_progress_update(&watch->progress, state);
	}
	json_decref(reply);
	return watch->output_errno;
}

/* The stream was left because nobody takes it; a reader that went away is not worth a word. */
static int output_failed(int number, struct mmt_error *error)
{
	clearerr(stdout);
	if (number == EPIPE)
		return 1;
	errno = number;
	return mmt_error_errno(error, "cannot write the output");
}

/* The job's end: 0, or its reason as an error. */
static int judge_end(const json_t *last, struct mmt_error *error)
{
	const char *state = cli_field_text(last, "state"), *message = cli_field_text(last, "message");
	long long job = (long long)cli_field_integer(last, "job");
	if (strcmp(state, "done") == 0)
		return 0;
	if (strcmp(state, "cancelled") == 0)
		return mmt_error_set(error, MMT_CANCELLED, 0, "job %lld was cancelled", job);
	return mmt_error_set(error, MMT_FAILED, 0, "job %lld ended %s: %s", job,
			     state[0] != '\0' ? state : "without a state",
			     message[0] != '\0' ? message : "the service gave no reason");
}

/* Parameters of the query that a tuned problem answers: the same device and problem. */
static json_t *query_parameters(const struct cli_context *context, const json_t *last, struct mmt_error *error)
{
	json_t *parameters = cli_problem_parameters(context, true, error);
	if (parameters != NULL)
		json_object_set(parameters, "device", json_object_get(last, "device"));
	return parameters;
}

static int print_result(struct watch *watch, struct mmt_error *error)
{
	json_t *parameters = query_parameters(watch->context, watch->last, error);
	json_t *answer = parameters != NULL ? cli_call(watch->context, "Query", parameters, error) : NULL;
	int status = answer != NULL ? cli_print_answer(answer, error) : -1;
	json_decref(answer);
	return status;
}

/* Takes the reference to parameters. */
static int watch_job(struct cli_context *context, json_t *parameters, struct mmt_error *error)
{
	struct watch *watch = calloc(1, sizeof *watch);
	size_t length;
	char *text = wire_encode(parameters, &length);
	struct mmt_client *client = NULL;
	int status = -1;
	json_decref(parameters);
	if (watch == NULL || text == NULL) {
		mmt_error_set(error, MMT_NO_MEMORY, 0, "no memory to watch a job");
		goto out;
	}
	watch->context = context;
	cli_progress_init(&watch->progress, cli_is_given(context, "verbose"));
	if (cli_interrupt_init(&watch->interrupt, error) != 0 || (client = cli_client(context, error)) == NULL)
		goto out;
	status = mmt_call_more(client, "Tune", text, on_reply, watch, error);
	cli_progress_finish(&watch->progress);
	atomic_store(&watch->interrupt.job, 0);
	if (status == 0)
		status = watch->output_errno != 0 ? output_failed(watch->output_errno, error)
						  : judge_end(watch->last, error);
	if (status == 0 && !cli_is_given(context, "json"))
		status = print_result(watch, error);
out:
	if (watch != NULL)
		json_decref(watch->last);
	/* The watch itself is the interrupt thread's until the process ends. */
	free(text);
	return status;
}

static int show_queued(struct cli_context *context, const json_t *reply, struct mmt_error *error)
{
	(void)context, (void)error;
	char problem[MMT_MESSAGE_BYTES];
	const json_t *state = json_object_get(reply, "progress");
	printf("job %lld %s: %s on %s\n", (long long)cli_field_integer(state, "job"), cli_field_text(state, "state"),
	       cli_field_problem(state, "problem", problem), cli_field_text(state, "device"));
	return 0;
}

static int run(struct cli_context *context, struct mmt_error *error)
{
	json_t *parameters = cli_problem_parameters(context, true, error);
	if (parameters == NULL)
		return -1;
	if (add_limits(context, parameters, error) != 0 || add_choices(context, parameters, error) != 0 ||
	    cli_add_device(context, parameters, error) != 0) {
		json_decref(parameters);
		return -1;
	}
	if (cli_is_given(context, "no-wait"))
		return cli_call_and_show(context, "Tune", parameters, show_queued, error);
	return watch_job(context, parameters, error);
}

const struct cli_verb cli_verb_tune = {
	.name = "tune",
	.summary = "Search for the fastest kernel for a problem on a device",
	.details = "The job runs in the service. Ctrl-C leaves it running and ends only this program, with\n"
		   "status 130; 'mmtune cancel JOB' ends a job. With --json each reply of the stream is\n"
		   "one line, the last being the end of the job. Status 1: the job failed or was cancelled.",
	.groups = {cli_device_options, cli_problem_options, options},
	.run = run,
};
