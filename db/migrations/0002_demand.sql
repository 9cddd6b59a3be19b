-- Version 2: what was asked for and is not tuned yet, so that the most asked is tuned first.
-- The problem is text: a row of problems would stay for ever, and anyone may ask for anything.

CREATE TABLE demand (
	device_id INTEGER NOT NULL REFERENCES devices (id),
	problem TEXT NOT NULL,
	asks INTEGER NOT NULL CHECK (asks > 0),
	last_asked_at INTEGER NOT NULL,
	PRIMARY KEY (device_id, problem)
) STRICT;
