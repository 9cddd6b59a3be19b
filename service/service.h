/* service.h: the one object that the parts of mmtuned share.
 *
 *	server (sockets, framing)  -> verbs/ (one file a method) -> jobs, answers, devices
 *	jobs (queue, state)  -> runner (one job: ask, plan, trial, tell) -> worker (one child process)
 *	store (a thread that owns the database) <- everything that must last
 *	answers (in memory: every best, prepared replies) -> verbs/query
 *
 * Thread: all of it on the loop's thread, but for what store.h says. */
#ifndef MMT_SERVICE_H
#define MMT_SERVICE_H

#include <stdbool.h>
#include <uv.h>

#include "config.h"
#include "registry.h"

struct svc_store;
struct svc_devices;
struct svc_answers;
struct svc_jobs;
struct svc_demand;
struct svc_server;
struct svc_verb;

struct service {
	uv_loop_t *loop;
	const struct svc_verb *const *verbs; /* svc_verbs; NULL-terminated */
	struct config config;                /* paths resolved, never empty */
	struct kern_registry kernels;
	struct svc_store *store;
	struct svc_devices *devices;
	struct svc_answers *answers;
	struct svc_demand *demand;
	struct svc_jobs *jobs;
	struct svc_server *server;
	int64_t started_at;
	char *database_path;
	char *database_note; /* read-only, set aside ...: shown by Status; NULL: all well */
	bool in_memory;      /* the database is not on disk: nothing of this run will last */
	bool was_locked;     /* it is so because another process had locked it */
	bool out_of_place;   /* at the last look its file was not where it belongs: the note tells */
	bool user_instance;  /* started with --user */
	bool devices_known;  /* the first enumeration is over, well or not */
	bool draining;
};

/* Enumerates the devices anew; when it is over, held calls go on (svc_call_hold). */
void svc_rescan(struct service *service);

/* One line on stderr, under systemd with its priority prefix: <6>mmtuned: text. priority as in syslog(3). */
void svc_log(int priority, const char *format, ...) __attribute__((format(printf, 2, 3)));

#endif
