/* db.h: the database: SQLite, and plain records in and out.
 *
 * WAL, one writer, STRICT tables, foreign keys, versioned migrations with a
 * backup before each. Trials are facts: appended, never changed. The best of a
 * (device, problem) points at a trial; each promotion is kept, so that it can
 * be taken back. Nothing here knows the service, OpenCL or the search.
 *
 * Strings in records handed in are borrowed for the call; records handed out
 * are finished by their _finish function (or freed as the comment says);
 * records given to a callback are borrowed for its length, and it must not
 * call back into db. Times are nanoseconds; *_at are Unix seconds, UTC.
 *
 * Thread: one struct db belongs to one thread (the service's store thread). */
#ifndef MMT_DB_H
#define MMT_DB_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "mmtune/error.h"

struct db;

struct db_opened {
	bool created;
	int migrated_from;      /* schema version found; -1: none */
	bool read_only;         /* a copy in memory: nothing that is written lasts */
	char set_aside[512];    /* where a damaged file was moved; "" if none */
	uint64_t salvaged_rows; /* rows copied out of it */
	uint64_t refused_rows;  /* rows read but left behind: no parent, a check failed */
};

/* Opens or creates. A damaged file is moved aside (FILE.damaged-TIME), what
 * SQLite can still read is salvaged into a new one. Errors: MMT_READ_ONLY,
 * MMT_BUSY (locked by another), MMT_DATABASE (newer schema: says both versions). */
struct db *db_open(const char *path, struct db_opened *opened, struct mmt_error *error);
/* For when db_open() says MMT_READ_ONLY: what the file holds, as a copy in
 * memory. It takes writes as any other, and forgets them at db_close(). A file
 * that is not there gives an empty one; a damaged one what can be read of it. */
struct db *db_open_read_only(const char *path, struct db_opened *opened, struct mmt_error *error);
void db_close(struct db *db); /* NULL is allowed */
/* Whether another process's lock keeps db_open() from the file now. Waits for nothing. */
bool db_is_locked(const char *path);
/* Whether the file is still in its place; one that was deleted is written there anew from the connection, which still
 * has all of it (*restored). -1: it cannot be, or another file has taken its place; nothing is changed then. */
int db_keep_place(struct db *db, bool *restored, struct mmt_error *error);
/* How long each statement waits for another process's lock, before MMT_BUSY; 5 s at first. */
void db_set_patience(struct db *db, int milliseconds);

/* Several writes as one: all or nothing, and one sync instead of many. Every
 * function below may run in between. A failed function has taken back its own
 * writes only; db_commit() then keeps the others (unless the disk was full:
 * everything is gone, and db_commit() says so). */
int db_begin(struct db *db, struct mmt_error *error);
int db_commit(struct db *db, struct mmt_error *error);
void db_rollback(struct db *db);

/* ---- devices ---- */
struct db_device {
	int64_t id;
	char *name;        /* gpu0: given once, kept for ever */
	char *fingerprint; /* unique */
	char *properties;  /* kern_device_to_json, as last seen */
	int64_t first_seen_at, last_seen_at;
};
void db_device_finish(struct db_device *device);
/* Every device ever seen, by id. *out (array; finish each, free) and *count. */
int db_devices(struct db *db, struct db_device **out, size_t *count, struct mmt_error *error);
/* Inserts (id 0) or updates by id; gives the id back. Fields: all but id, first_seen_at kept on update. */
int db_device_put(struct db *db, struct db_device *device, struct mmt_error *error);
/* The environment (driver and compiler) that results are measured in; made when new. */
int db_environment(struct db *db, int64_t device_id, const char *driver, const char *platform_version, int64_t *id,
		   struct mmt_error *error);

/* ---- problems and variants: found or made, by their content ---- */
int db_problem(struct db *db, const char *problem_json, int64_t *id, struct mmt_error *error);
int db_variant(struct db *db, const char *family, const char *name, const char *spec_sha256, const char *source_sha256,
	       int64_t *id, struct mmt_error *error);

/* ---- trials ---- */
struct db_trial {
	int64_t id, job_id, device_id, environment_id, problem_id, variant_id; /* job_id 0: none */
	char *configuration;                                                   /* canonical JSON */
	char *outcome; /* kern_outcome_name; ok needs time_ns > 0 */
	/* any may be NaN */
	double time_ns, minimum_ns, spread, gflops, effective_gbps, compulsory_gbps, relative_error;
	int runs;
	double build_ns, verify_ns, measure_ns, driver_ns, total_ns;
	char *message;
	int64_t measured_at;
	/* read only, joined in */
	char *device, *problem, *family, *variant, *spec_sha256, *source_sha256, *driver, *platform_version;
};
void db_trial_finish(struct db_trial *trial);
int db_trial_add(struct db *db, struct db_trial *trial, struct mmt_error *error); /* sets id */

struct db_trial_filter { /* 0 and NULL: any */
	int64_t device_id, problem_id, environment_id, job_id;
	int64_t after_id; /* later ones than this */
	const char *outcome;
	int limit; /* newest first when newest_first, else oldest first; 0: all */
	bool newest_first;
};
typedef int db_trial_fn(void *context, const struct db_trial *trial); /* non-zero stops */
int db_trials(struct db *db, const struct db_trial_filter *filter, db_trial_fn *each, void *context,
	      struct mmt_error *error);
int db_trial_count(struct db *db, int64_t *count, struct mmt_error *error);

/* ---- the best, with its history ---- */
/* Makes a trial the best of its device and problem and appends to the history.
 * MMT_INVALID_ARGUMENT for a trial whose outcome is not ok. */
int db_promote(struct db *db, int64_t trial_id, const char *reason, struct mmt_error *error);
/* Back to the one before; MMT_NO_ANSWER when there is none. */
int db_demote(struct db *db, int64_t device_id, int64_t problem_id, struct mmt_error *error);
/* Every current best, as its trial (one transaction: a consistent snapshot). */
int db_bests(struct db *db, db_trial_fn *each, void *context, struct mmt_error *error);

/* The shortest run of a current best's configuration at each problem that it was tried at on its device. */
struct db_winner_time {
	int64_t device_id, variant_id;
	const char *configuration, *problem; /* JSON */
	double minimum_ns;                   /* more than 0 */
};
typedef int db_winner_time_fn(void *context, const struct db_winner_time *time); /* non-zero stops */
/* Reads every trial once: 100,000 in some 0.1 s. */
int db_winner_times(struct db *db, db_winner_time_fn *each, void *context, struct mmt_error *error);

struct db_promotion {
	int64_t promoted_at, withdrawn_at; /* withdrawn: 0, it stands */
	const char *reason;
	const struct db_trial *trial;
};
typedef int db_promotion_fn(void *context, const struct db_promotion *promotion);
/* device_id 0, problem_id 0: any. Newest first. */
int db_history(struct db *db, int64_t device_id, int64_t problem_id, int limit, db_promotion_fn *each, void *context,
	       struct mmt_error *error);

/* ---- jobs ---- */
struct db_job {
	int64_t id, device_id, problem_id;
	char *state; /* queued running done failed cancelled */
	char *strategy;
	char *origin; /* client, query, auto, peak */
	int64_t seed;
	double budget_ns, until; /* 0: none */
	int64_t max_evaluations; /* 0: none */
	double spent_ns;
	int64_t evaluations;
	char *accounting; /* JSON or NULL */
	char *message;    /* why it failed, or NULL */
	int64_t created_at, started_at, finished_at;
	/* read only */
	char *device, *problem;
};
void db_job_finish(struct db_job *job);
int db_job_put(struct db *db, struct db_job *job, struct mmt_error *error); /* id 0: insert, sets id */
/* unfinished_only: queued and running, oldest first; else newest first. limit 0: all. */
int db_jobs(struct db *db, bool unfinished_only, int limit, struct db_job **out, size_t *count,
	    struct mmt_error *error);

/* ---- what is asked for and not tuned ---- */
struct db_demand {
	int64_t device_id;
	const char *problem; /* JSON */
	int64_t asks;        /* more than 0 */
	int64_t last_asked_at;
};
typedef int db_demand_fn(void *context, const struct db_demand *demand); /* non-zero stops */
/* Most asked first. */
int db_demand(struct db *db, db_demand_fn *each, void *context, struct mmt_error *error);
/* The list takes the place of all that was stored; each device and problem once. */
int db_demand_replace(struct db *db, const struct db_demand *list, size_t count, struct mmt_error *error);

/* Consistent copy of the whole database (VACUUM INTO), synced. path must not exist. */
int db_backup(struct db *db, const char *path, struct mmt_error *error);

#endif
