-- Version 1. Run by migrate.c inside one transaction, foreign keys checked at its end.
-- Times are nanoseconds, *_at are Unix seconds (UTC). A REAL that is NULL stands for NaN.

CREATE TABLE devices (
	id INTEGER PRIMARY KEY,
	name TEXT NOT NULL UNIQUE,
	fingerprint TEXT NOT NULL UNIQUE,
	properties TEXT NOT NULL,
	first_seen_at INTEGER NOT NULL,
	last_seen_at INTEGER NOT NULL
) STRICT;

-- The driver and compiler under which results hold. A new driver is a new row.
CREATE TABLE environments (
	id INTEGER PRIMARY KEY,
	device_id INTEGER NOT NULL REFERENCES devices (id),
	driver TEXT NOT NULL,
	platform_version TEXT NOT NULL,
	UNIQUE (device_id, driver, platform_version),
	UNIQUE (id, device_id)
) STRICT;

CREATE TABLE problems (
	id INTEGER PRIMARY KEY,
	json TEXT NOT NULL UNIQUE
) STRICT;

CREATE TABLE variants (
	id INTEGER PRIMARY KEY,
	family TEXT NOT NULL,
	name TEXT NOT NULL,
	spec_sha256 TEXT NOT NULL,
	source_sha256 TEXT NOT NULL,
	UNIQUE (family, name, spec_sha256, source_sha256)
) STRICT;

CREATE TABLE jobs (
	id INTEGER PRIMARY KEY AUTOINCREMENT,
	device_id INTEGER NOT NULL REFERENCES devices (id),
	problem_id INTEGER NOT NULL REFERENCES problems (id),
	state TEXT NOT NULL CHECK (state IN ('queued', 'running', 'done', 'failed', 'cancelled')),
	strategy TEXT NOT NULL,
	origin TEXT NOT NULL,
	seed INTEGER NOT NULL,
	budget_ns REAL NOT NULL CHECK (budget_ns >= 0),
	until REAL NOT NULL CHECK (until >= 0),
	max_evaluations INTEGER NOT NULL CHECK (max_evaluations >= 0),
	spent_ns REAL NOT NULL CHECK (spent_ns >= 0),
	evaluations INTEGER NOT NULL CHECK (evaluations >= 0),
	accounting TEXT,
	message TEXT,
	created_at INTEGER NOT NULL,
	started_at INTEGER NOT NULL,
	finished_at INTEGER NOT NULL
) STRICT;

CREATE INDEX jobs_unfinished ON jobs (id) WHERE state IN ('queued', 'running');

-- Facts: appended, never changed. The checksum covers every column but id and job_id
-- (trials.c), because SQLite itself does not notice a flipped bit inside a value.
CREATE TABLE trials (
	id INTEGER PRIMARY KEY AUTOINCREMENT,
	job_id INTEGER REFERENCES jobs (id),
	device_id INTEGER NOT NULL,
	environment_id INTEGER NOT NULL,
	problem_id INTEGER NOT NULL REFERENCES problems (id),
	variant_id INTEGER NOT NULL REFERENCES variants (id),
	configuration TEXT NOT NULL,
	outcome TEXT NOT NULL CHECK (outcome IN ('ok', 'build_failed', 'launch_failed', 'wrong_result', 'timeout',
		'crashed', 'out_of_memory', 'skipped')),
	time_ns REAL,
	minimum_ns REAL,
	spread REAL,
	gflops REAL,
	effective_gbps REAL,
	compulsory_gbps REAL,
	relative_error REAL,
	runs INTEGER NOT NULL CHECK (runs >= 0),
	build_ns REAL,
	verify_ns REAL,
	measure_ns REAL,
	driver_ns REAL,
	total_ns REAL,
	message TEXT NOT NULL,
	measured_at INTEGER NOT NULL,
	checksum INTEGER NOT NULL,
	FOREIGN KEY (environment_id, device_id) REFERENCES environments (id, device_id),
	CHECK (outcome <> 'ok' OR (time_ns IS NOT NULL AND time_ns > 0 AND time_ns < 9e999))
) STRICT;

-- The unique one is also the parent key of best and promotions: neither can name a trial
-- of another device or problem. No index on outcome: it is read beside another filter or with a limit.
CREATE UNIQUE INDEX trials_by_device ON trials (device_id, problem_id, id);
CREATE INDEX trials_by_environment ON trials (environment_id, problem_id);
CREATE INDEX trials_by_problem ON trials (problem_id);
CREATE INDEX trials_by_job ON trials (job_id) WHERE job_id IS NOT NULL;

CREATE TRIGGER trials_never_change BEFORE UPDATE ON trials
BEGIN
	SELECT RAISE(ABORT, 'trials are append-only');
END;

CREATE TRIGGER trials_never_go BEFORE DELETE ON trials
BEGIN
	SELECT RAISE(ABORT, 'trials are append-only');
END;

-- Every promotion that ever was. withdrawn_at: 0, or when it was taken back.
CREATE TABLE promotions (
	id INTEGER PRIMARY KEY AUTOINCREMENT,
	device_id INTEGER NOT NULL,
	problem_id INTEGER NOT NULL,
	trial_id INTEGER NOT NULL,
	promoted_at INTEGER NOT NULL,
	withdrawn_at INTEGER NOT NULL DEFAULT 0,
	reason TEXT NOT NULL,
	FOREIGN KEY (trial_id, device_id, problem_id) REFERENCES trials (id, device_id, problem_id)
) STRICT;

CREATE INDEX promotions_by_device ON promotions (device_id, problem_id, id);

CREATE TABLE best (
	device_id INTEGER NOT NULL,
	problem_id INTEGER NOT NULL,
	trial_id INTEGER NOT NULL,
	PRIMARY KEY (device_id, problem_id),
	FOREIGN KEY (trial_id, device_id, problem_id) REFERENCES trials (id, device_id, problem_id)
) STRICT;
