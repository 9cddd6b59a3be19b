/* keys.h: every configuration key: the only place where one is declared.
 *
 * INTEGER(section, name, minimum, maximum, default, text)
 * STRING(section, name, default, text)	BOOLEAN(section, name, default, text)
 * PROBLEMS(section, name, default, text)	a string that problem_list.h reads */
#ifndef MMT_CONFIG_KEYS_H
#define MMT_CONFIG_KEYS_H

#define CONFIG_KEYS(INTEGER, STRING, BOOLEAN, PROBLEMS)                                                                \
	STRING(service, socket, "", "Unix socket to listen on; empty: /run/mmtune/socket, or the user's")              \
	STRING(service, state_directory, "", "where mmtune.db lives; empty: /var/lib/mmtune, or the user's")           \
	STRING(service, cache_directory, "", "for the drivers' compilers; empty: /var/cache/mmtune, or the user's")    \
	STRING(service, kernel_directory, "", "drop-in kernels; empty: /etc/mmtune/kernels, or the user's")            \
	STRING(service, worker, "", "the worker program; empty: beside mmtuned, or in libexec")                        \
	STRING(service, admin_group, "mmtune",                                                                         \
	       "members may tune, cancel and pause, beside root and the service's user")                               \
	INTEGER(service, max_clients, 1, 4096, 256, "connections at a time; one more is refused")                      \
	INTEGER(service, max_message_bytes, 4096, 16777216, 1048576, "longest call; a longer one ends its connection") \
	INTEGER(service, client_timeout_s, 1, 3600, 30, "a client may leave a call half sent this long")               \
	INTEGER(tuning, budget_s, 1, 604800, 60, "wall time of a job that names no budget")                            \
	INTEGER(tuning, background_budget_s, 0, 604800, 60, "of a job queued by a query; 0: queries queue none")       \
	INTEGER(tuning, peak_budget_s, 1, 3600, 8, "wall time of a job that measures a device's peak")                 \
	INTEGER(tuning, build_deadline_s, 1, 3600, 60, "a build may take this long")                                   \
	INTEGER(tuning, launch_deadline_s, 1, 3600, 10, "verifying a candidate, or one timing of it, may take this")   \
	INTEGER(tuning, finalists, 1, 16, 3, "fewest candidates re-measured head to head with the incumbent")          \
	INTEGER(tuning, finalist_rounds, 1, 99, 7, "fewest rounds of that comparison")                                 \
	INTEGER(tuning, crash_limit, 1, 1000, 8, "crashes in a row after which a device is quarantined")               \
	INTEGER(tuning, builders, 0, 64, 8,                                                                            \
		"processes that build ahead of the measurement; on a CPU in turns with it; 0: none")                   \
	INTEGER(tuning, worker_nice, 0, 19, 10, "niceness of the workers")                                             \
	STRING(tuning, strategy, "auto", "search strategy of a job that names none")                                   \
	PROBLEMS(tuning, auto_tune, "", "tuned when idle: [DEVICE:]ORDER or MxNxK [/TYPE][/TRANS], ...")

#endif
