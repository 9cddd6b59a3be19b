/* runner_state.h: the running job's state, for the files of the runner.
 *
 *	runner.c          life, the step, the worker, ending and the accounting
 *	runner_prepare.c  spaces, earlier trials, the search
 *	runner_trial.c    one candidate: asked, planned, sent, judged, told
 *	runner_ahead.c    candidates built while another is measured, or several at once in between
 *	runner_anchor.c   the best so far, timed beside each candidate: results of a slower hour made comparable
 *	runner_finals.c   the finalists: compared, promoted
 *	runner_record.c   results on their way into the database
 *
 * Always: `posts` counts what is under way elsewhere (the store, the thread
 * pool, the timer's close) and refers to the runner; it is not freed before
 * that is 0 and the worker and the builders are gone.
 *
 * Thread: the loop's. */
#ifndef MMT_SERVICE_RUNNER_STATE_H
#define MMT_SERVICE_RUNNER_STATE_H

#include "answer.h"
#include "runner.h"
#include "search.h"
#include "worker.h"

#define RUNNER_TOP 16 /* best results that are kept in mind; at most so many finalists */

enum runner_phase { RUNNER_PREPARING, RUNNER_SEARCHING, RUNNER_COMPARING, RUNNER_STORING, RUNNER_ENDING };

struct runner_variant {
	const struct kern_variant *variant;
	int64_t id; /* in the database */
	struct search_space *space;
	char problem[MMT_MESSAGE_BYTES]; /* why it has no space, or "" */
};

/* A configuration with what came of it. */
struct runner_candidate {
	struct search_point point;
	const struct kern_variant *variant;
	int64_t variant_id;
	uint16_t indices[EXPR_LIMIT_NAMES];
	struct kern_plan plan;
	bool planned; /* plan is to be finished */
	bool incumbent;
	double built_ns; /* what it took to build it ahead; 0: it was not */
	struct kern_result result;
};

struct runner_top {
	struct search_point point;
	int64_t trial_id;
	int64_t measured_at;
	double comparable_ns; /* what the list is sorted by: the time at the pace of the run's start */
	struct kern_result result;
};

/* The best so far, which is timed beside the candidates. The weights are numbers of timings. */
struct runner_anchor {
	struct search_point point;
	double time_ns, time_weight; /* at the pace of the run's start; time_ns 0: there is none */
	double pace, pace_weight;    /* what a run takes now over what it took at the start */
};

struct runner_earlier { /* a trial of an earlier run or job */
	struct search_point point;
	int64_t trial_id, measured_at;
	struct kern_result result;
};

enum runner_slot_state { RUNNER_SLOT_EMPTY, RUNNER_SLOT_WAITING, RUNNER_SLOT_BUILDING, RUNNER_SLOT_BUILT };

/* A builder and the candidate in its hands. */
struct runner_slot {
	struct runner *runner;
	enum runner_slot_state state;
	struct runner_candidate candidate; /* unless empty */
	uint64_t order;                    /* of asking */
	uint64_t sent_ns;
	struct svc_worker *builder; /* NULL: none */
	bool ready;                 /* it is greeted, and not asked to end */
	unsigned builds;            /* of this builder */
};

struct runner_ahead {
	struct runner_slot *slots; /* n_slots; 0: nothing is built ahead */
	size_t n_slots;
	bool in_turns;            /* on a CPU: some are built, then those are measured, and never both at once */
	bool over;                /* no more is built; what is in the slots may be taken */
	double build_ns, turn_ns; /* of late: one build, and one candidate's turn in the worker */
	uint64_t n_asked;
	bool opened;                /* one was taken */
	unsigned idle_deaths;       /* builders in a row that did not start */
	double judged_ns, again_ns; /* candidates' builds, and what they took once more in the worker */
	unsigned n_judged;
	uint64_t building_since_ns; /* in turns: since when something is built */
};

struct runner {
	struct service *service;
	struct svc_job *job;
	const struct runner_events *events;
	void *context;
	enum runner_phase phase;
	unsigned posts;
	uv_timer_t again; /* the next step, after the loop had its turn */
	uv_work_t expansion;

	struct runner_variant *variants;
	size_t n_variants;
	const struct search_space **spaces; /* of the variants, in order */
	double *promises;                   /* of the spaces: search.h */
	int64_t problem_id, environment_id; /* of the start: a driver may be updated meanwhile */
	char *problem_text;
	struct runner_earlier *earlier;
	size_t n_earlier;
	struct search *search;
	bool exhausted;

	struct svc_worker *worker;
	bool worker_ready, in_flight;
	uint64_t worker_started_ns; /* 0 once it is ready */
	uint64_t sent_ns;
	unsigned worker_trials, idle_deaths;
	struct runner_candidate candidate; /* in flight, or to be sent again when planned */

	struct runner_ahead ahead;

	struct runner_candidate *finalists;
	size_t n_finalists;
	unsigned compare_attempts;
	size_t comparing; /* the finalist that is being built or verified; SIZE_MAX: none, or any */

	struct runner_anchor anchor;
	struct runner_top top[RUNNER_TOP]; /* fastest first, each point once */
	size_t n_top;
	int64_t tried; /* as job->evaluations, but with those not yet stored */
	char first_failure[MMT_MESSAGE_BYTES];

	bool stop_asked;
	enum runner_end end;
	/* Where this run's wall time went */
	double driver_ns, build_ns, verify_ns, measure_ns, spawn_ns, wait_ns;
	double ok_total_ns; /* of the candidates that were fully measured */
	int64_t n_ok;
};

/* runner.c */
void runner_step(struct runner *runner);
void runner_step_later(struct runner *runner);
void runner_end(struct runner *runner, enum runner_end end, const char *format, ...)
	__attribute__((format(printf, 3, 4)));
void runner_close_worker(struct runner *runner);
/* A worker died with candidates in its hands; true when the device is put in quarantine, which ends the job. */
bool runner_count_crash(struct runner *runner, enum svc_worker_end end, const char *explanation);

/* runner_prepare.c: ends in RUNNER_SEARCHING, or in the end. */
void runner_prepare(struct runner *runner);

/* runner_trial.c */
void runner_search(struct runner *runner);
void runner_trial_results(struct runner *runner, const json_t *results);
void runner_trial_gone(struct runner *runner, enum svc_worker_end end, const char *explanation);
void runner_candidate_finish(struct runner_candidate *candidate);
/* Whether one more may be asked for: not, when those in hand may use up the job's evaluations. */
bool runner_may_ask(const struct runner *runner);
/* Candidates that are asked and not told. */
size_t runner_in_hand(const struct runner *runner);
/* The next candidate that has a plan; those that are refused are concluded. False: none in this turn of the loop. */
bool runner_next(struct runner *runner, struct runner_candidate *candidate);
/* A candidate is settled: stored, told to the search, held against the best; its plan is finished. */
void runner_conclude(struct runner *runner, struct runner_candidate *candidate, const struct kern_result *result);
/* Adds a result's times to the accounting. */
void runner_account(struct runner *runner, const struct kern_result *result);
/* The progress object's `best`, and the list of the best, where the result belongs there. */
void runner_note_result(struct runner *runner, const struct runner_top *entry);
double runner_spent_s(const struct runner *runner);

/* runner_ahead.c */
int runner_ahead_init(struct runner *runner);           /* -1: no memory */
void runner_ahead_finish(struct runner *runner);        /* once the builders are gone */
void runner_ahead_stop(struct runner *runner);          /* drops what is in the slots, ends the builders */
bool runner_ahead_is_on(const struct runner *runner);   /* candidates come out of slots */
bool runner_ahead_is_gone(const struct runner *runner); /* no builder is left */
size_t runner_ahead_count(const struct runner *runner); /* slots that are not empty */
void runner_ahead_fill(struct runner *runner);          /* asks for candidates and has them built */
bool runner_ahead_take(struct runner *runner);          /* of the built, the first asked: into runner->candidate */
/* A candidate had its turn in the worker. built_ns: as in it. */
void runner_ahead_measured(struct runner *runner, double built_ns, const struct kern_result *result, double turn_ns);

/* runner_anchor.c */
void runner_anchor_init(struct runner_anchor *anchor);
/* The best so far becomes the anchor; adds it to a trial's request. -1: memory. */
int runner_anchor_add(struct runner *runner, json_t *request);
/* Takes in what the trial says of the anchor. Returns the trial's time at the pace of the run's start. */
double runner_anchor_take(struct runner *runner, const struct kern_result *result);

/* runner_finals.c */
struct runner_candidate runner_candidate_of(const struct runner *runner, const struct runner_top *top);
/* Makes its plan; false: it is refused. */
bool runner_candidate_plan(const struct runner *runner, struct runner_candidate *candidate);
void runner_finals(struct runner *runner); /* gathers and sends */
void runner_finals_results(struct runner *runner, const json_t *results);
void runner_finals_gone(struct runner *runner, enum svc_worker_end end, const char *explanation);
void runner_finals_phase(struct runner *runner, const char *phase);
/* The best result, not compared: for a job that was stopped before the finals. */
void runner_promote_best(struct runner *runner, const char *reason);
double runner_finals_estimate_s(const struct runner *runner);

/* runner_record.c */
/* Stores the candidate's result and the job's spent time. */
void runner_record(struct runner *runner, const struct runner_candidate *candidate);
/* Promotes the candidate and ends the job. stored NULL: its result is stored first; else it was, as that. */
void runner_record_winner(struct runner *runner, const struct runner_candidate *candidate,
			  const struct runner_top *stored, enum runner_end end, const char *reason);

#endif
