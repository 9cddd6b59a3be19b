/* jobs_fixture.h: what tests of jobs share: a fixture for each test, a job run to its end, and what the database then
 * has.
 *
 * Included once a program, as fixture.h is. */
#ifndef MMT_TESTS_SERVICE_JOBS_FIXTURE_H
#define MMT_TESTS_SERVICE_JOBS_FIXTURE_H

#include "fixture.h"

#include "trial.h"

#define CANDIDATES 12 /* of the toy */

static inline int set_up(void **state)
{
	struct fixture *fixture = malloc(sizeof *fixture);
	fixture_create(fixture);
	*state = fixture;
	return 0;
}

static inline int tear_down(void **state)
{
	fixture_destroy(*state);
	free(*state);
	return 0;
}

static inline void start(struct fixture *fixture, const char *fake)
{
	fixture_start(fixture, fake);
	svc_jobs_start(fixture->service.jobs);
}

static inline void restart(struct fixture *fixture, const char *fake)
{
	fixture_stop(fixture);
	start(fixture, fake);
}

static inline void finish_job(struct fixture_job *job)
{
	json_decref(job->last);
	job->last = NULL;
}

static inline void run(struct fixture *fixture, struct fixture_job *job, const struct svc_job_request *request)
{
	fixture_add(fixture, job, request);
	fixture_watch(fixture, job);
	fixture_wait(fixture, &job->ended, 60);
}

/* ---- what the database has ---- */

struct counting {
	struct db_trial_filter filter;
	const char *configuration, *problem;
	int64_t count, promotions;
	char message[512], first[64]; /* of the last and the configuration of the first */
};

static inline int count_one(void *context, const struct db_trial *trial)
{
	struct counting *counting = context;
	if ((counting->configuration && strcmp(trial->configuration, counting->configuration) != 0) ||
	    (counting->problem && !strstr(trial->problem, counting->problem)))
		return 0;
	if (counting->count++ == 0)
		snprintf(counting->first, sizeof counting->first, "%s", trial->configuration);
	snprintf(counting->message, sizeof counting->message, "%s", trial->message ? trial->message : "");
	return 0;
}

static inline int count_promotion(void *context, const struct db_promotion *promotion)
{
	struct counting *counting = context;
	counting->promotions += strstr(promotion->trial->problem, "matmul") != NULL;
	return 0;
}

static inline int count_work(struct db *db, void *context, struct mmt_error *error)
{
	struct counting *counting = context;
	if (db_history(db, 0, 0, 0, count_promotion, counting, error) != 0)
		return -1;
	return db_trials(db, &counting->filter, count_one, counting, error);
}

static inline struct counting count(struct fixture *fixture, struct counting counting)
{
	struct mmt_error error = {0};
	counting.problem = "matmul";
	if (svc_store_run(fixture->service.store, count_work, &counting, &error) != 0)
		fail_msg("%s", error.message);
	return counting;
}

static inline const char *match_of(struct fixture *fixture, int64_t order, char out[16])
{
	bool untuned;
	struct mmt_error error = {0};
	struct mmt_problem problem = fixture_problem(order);
	json_t *answer = svc_answers_query(fixture->service.answers, svc_devices_at(fixture->service.devices, 0),
					   &problem, false, &untuned, &error);
	snprintf(out, 16, "%s", answer ? fixture_text(answer, "match") : "none");
	json_decref(answer);
	return out;
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

#endif
