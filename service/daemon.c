/* daemon.c: see daemon.h. */
#include "daemon.h"

#include <errno.h>
#include <malloc.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#include "answers.h"
#include "database.h"
#include "demand.h"
#include "devices.h"
#include "jobs.h"
#include "lock.h"
#include "notify.h"
#include "paths.h"
#include "server.h"
#include "store.h"

#define LOCK_FILE            "mmtune.lock"
#define DATABASE_INTERVAL_MS 5000

struct daemon {
	struct service service; /* first: callbacks that get the service find the daemon */
	const struct svc_options *options;
	uv_loop_t loop;
	uv_signal_t terminate, interrupt, hangup;
	uv_timer_t watchdog, database;
	uv_async_t drained; /* closes everything, from the loop and not from within jobs or devices */
	struct svc_lock state_lock;
	struct kern_registry read_anew; /* kernels that take the place of the service's when no job uses those */
	bool kernels_loaded, jobs_started, jobs_drained, reloading;
};

/* ---- devices ---- */

static void on_devices(struct service *service, const struct mmt_error *error)
{
	struct daemon *daemon = (struct daemon *)service;
	if (error != NULL && !service->draining)
		svc_log(4, "cannot enumerate devices: %s", error->message);
	service->devices_known = true;
	svc_answers_forget(service->answers);
	svc_server_resume(service->server);
	if (daemon->jobs_drained) {
		uv_async_send(&daemon->drained);
		return;
	}
	if (daemon->reloading)
		svc_notify("READY=1");
	daemon->reloading = false;
	svc_notify("STATUS=%zu devices, %zu answers", svc_devices_count(service->devices),
		   svc_answers_count(service->answers));
	if (!daemon->jobs_started && !service->draining) {
		daemon->jobs_started = true;
		svc_jobs_start(service->jobs);
	}
	if (daemon->jobs_started && !service->draining)
		svc_jobs_add_listed(service->jobs);
	malloc_trim(0);
}

void svc_rescan(struct service *service)
{
	if (!svc_devices_enumerating(service->devices))
		svc_devices_enumerate(service->devices, on_devices);
}

/* ---- the end ---- */

/* What is being stored is finished, in a file that is there: one that was deleted since the last look is written anew.
 */
static void end_store(struct service *service)
{
	svc_demand_flush(service->demand);
	if (service->store && !service->in_memory) /* without: the start failed */
		svc_database_keep(service);
	svc_store_destroy(service->store);
}

/* What is being stored is finished first, and nobody is told anything by what is closed already. */
static void end_records(struct service *service)
{
	end_store(service);
	svc_jobs_destroy(service->jobs);
	svc_demand_destroy(service->demand);
	svc_answers_destroy(service->answers);
	svc_devices_destroy(service->devices);
	service->store = NULL;
	service->jobs = NULL;
	service->demand = NULL;
	service->answers = NULL;
	service->devices = NULL;
}

/* Closes everything in an order in which nobody is told anything by what is closed already: first
 * the clients are let go, then what is being stored is finished. The loop then runs out of handles. */
static void close_all(struct daemon *daemon)
{
	struct service *service = &daemon->service;
	svc_server_destroy(service->server);
	end_records(service);
	uv_handle_t *const own[] = {
		(uv_handle_t *)&daemon->terminate, (uv_handle_t *)&daemon->interrupt, (uv_handle_t *)&daemon->hangup,
		(uv_handle_t *)&daemon->watchdog,  (uv_handle_t *)&daemon->drained,   (uv_handle_t *)&daemon->database,
	};
	for (size_t i = 0; i < sizeof own / sizeof *own; i++)
		uv_close(own[i], NULL);
}

static void on_drained(uv_async_t *handle)
{
	close_all(handle->data);
}

static void on_jobs_drained(struct service *service)
{
	struct daemon *daemon = (struct daemon *)service;
	daemon->jobs_drained = true;
	if (!svc_devices_enumerating(service->devices)) /* else when that is over */
		uv_async_send(&daemon->drained);
}

/* Told twice: what was found is stored, all else is the system's to clear away. Workers end with us. */
static void end_at_once(struct daemon *daemon)
{
	svc_server_destroy(daemon->service.server);
	end_store(&daemon->service);
	svc_lock_release(&daemon->state_lock);
	_exit(EXIT_SUCCESS);
}

static void on_end(uv_signal_t *handle, int signal)
{
	struct daemon *daemon = handle->data;
	struct service *service = &daemon->service;
	if (service->draining)
		end_at_once(daemon);
	svc_log(6, "%s: ending", signal == SIGTERM ? "SIGTERM" : "SIGINT");
	svc_notify("STOPPING=1");
	service->draining = true;
	svc_server_stop(service->server);
	svc_store_hurry(service->store);
	svc_devices_give_up(service->devices);
	svc_jobs_drain(service->jobs, on_jobs_drained);
}

/* ---- reload ---- */

/* What cannot change while the service runs keeps its value, and the log says so. */
static void keep(struct config *config, const char *name, const char *running, const char *read)
{
	if (strcmp(running, read) == 0)
		return;
	svc_log(4, "%s changes with a restart only", name);
	config_set(config, "service", name, running, NULL);
}

static void reload_config(struct daemon *daemon)
{
	struct config *running = &daemon->service.config, read;
	struct mmt_error error;
	if (svc_options_config(daemon->options, &read, &error) != 0) {
		svc_log(3, "the configuration stays as it was: %s", error.message);
		return;
	}
	keep(&read, "socket", running->socket, read.socket);
	keep(&read, "state_directory", running->state_directory, read.state_directory);
	keep(&read, "cache_directory", running->cache_directory, read.cache_directory);
	keep(&read, "kernel_directory", running->kernel_directory, read.kernel_directory);
	config_finish(running);
	*running = read;
	svc_log(6, "configuration read anew");
}

static void tell_left_out(const struct kern_registry *kernels)
{
	for (size_t i = 0; i < kernels->n_warnings; i++)
		svc_log(4, "a kernel is left out: %s", kernels->warnings[i]);
}

static void swap_kernels(struct service *service)
{
	struct daemon *daemon = (struct daemon *)service;
	kern_registry_finish(&service->kernels);
	service->kernels = daemon->read_anew;
	daemon->read_anew = (struct kern_registry){0};
	svc_answers_forget(service->answers);
	svc_log(6, "kernels read anew: %zu variants", service->kernels.n_variants);
	tell_left_out(&service->kernels);
	svc_jobs_add_listed(service->jobs);
}

static int read_kernels(const struct service *service, struct kern_registry *out, struct mmt_error *error)
{
	const char *folder = service->config.kernel_directory;
	return kern_registry_init(out, folder[0] != '\0' ? folder : NULL, error);
}

static bool has_drop_ins(const struct kern_registry *kernels)
{
	for (size_t i = 0; i < kernels->n_variants; i++)
		if (!kernels->variants[i]->built_in)
			return true;
	return kernels->n_warnings > 0;
}

/* The built-in kernels do not change: where nothing was dropped in and nothing is, no job has to stop. */
static void reload_kernels(struct daemon *daemon)
{
	struct service *service = &daemon->service;
	struct kern_registry kernels;
	struct mmt_error error;
	if (read_kernels(service, &kernels, &error) != 0) {
		svc_log(3, "the kernels stay as they were: %s", error.message);
		return;
	}
	kern_registry_finish(&daemon->read_anew); /* of a SIGHUP before, which still waits */
	daemon->read_anew = kernels;
	if (has_drop_ins(&service->kernels) || has_drop_ins(&daemon->read_anew))
		svc_jobs_when_idle(service->jobs, swap_kernels);
}

static void on_reload(uv_signal_t *handle, int signal)
{
	(void)signal;
	struct daemon *daemon = handle->data;
	struct timespec now;
	if (daemon->service.draining)
		return;
	clock_gettime(CLOCK_MONOTONIC, &now);
	svc_notify("RELOADING=1\nMONOTONIC_USEC=%lld", (long long)now.tv_sec * 1000000 + now.tv_nsec / 1000);
	daemon->reloading = true;
	reload_config(daemon);
	reload_kernels(daemon);
	svc_rescan(&daemon->service);
}

static void on_watchdog(uv_timer_t *timer)
{
	(void)timer;
	svc_notify("WATCHDOG=1");
}

/* ---- the start ---- */

/* Only one instance for a state directory. Where it cannot be written nothing can be harmed: no lock then,
 * and the database says what it makes of that. */
static int lock_state(struct daemon *daemon, struct mmt_error *error)
{
	struct service *service = &daemon->service;
	char *path = svc_paths_join(service->config.state_directory, LOCK_FILE, error);
	struct mmt_error problem;
	if (path == NULL)
		return -1;
	int status = svc_paths_make_state(&service->config, &problem);
	if (status == 0)
		status = svc_lock_take(&daemon->state_lock, path, service->config.state_directory, &problem);
	free(path);
	if (status == 0)
		return 0;
	if (problem.code == MMT_BUSY)
		return mmt_error_set(error, problem.code, problem.foreign, "%s", problem.message);
	svc_log(4, "%s", problem.message);
	return 0;
}

static int load_kernels(struct daemon *daemon, struct mmt_error *error)
{
	struct service *service = &daemon->service;
	if (read_kernels(service, &service->kernels, error) != 0)
		return -1;
	daemon->kernels_loaded = true;
	tell_left_out(&service->kernels);
	return 0;
}

static int make_socket_folder(const struct service *service, struct mmt_error *error)
{
	struct mmt_error problem;
	if (svc_paths_make_socket_folder(&service->config, &problem) == 0)
		return 0;
	bool hint = problem.foreign == EACCES && !service->user_instance;
	return mmt_error_set(error, problem.code, problem.foreign, "%s%s", problem.message,
			     hint ? "; 'mmtuned --user' runs an instance of your own" : "");
}

/* What lives from the database. */
static int start_records(struct service *service, struct mmt_error *error)
{
	if (svc_database_open(service, error) != 0)
		return -1;
	service->devices = svc_devices_create(service, error);
	if (service->devices == NULL)
		return -1;
	service->answers = svc_answers_create(service, error);
	if (service->answers == NULL)
		return -1;
	service->demand = svc_demand_create(service, error);
	if (service->demand == NULL)
		return -1;
	service->jobs = svc_jobs_create(service, error);
	return service->jobs != NULL ? 0 : -1;
}

static int start_parts(struct daemon *daemon, struct mmt_error *error)
{
	struct service *service = &daemon->service;
	struct mmt_error problem;
	if (make_socket_folder(service, error) != 0 || lock_state(daemon, error) != 0)
		return -1;
	service->server = svc_server_create(service, error);
	if (service->server == NULL)
		return -1;
	if (svc_paths_make_cache(&service->config, &problem) != 0)
		svc_log(4, "drivers compile without a cache: %s", problem.message);
	return load_kernels(daemon, error) != 0 ? -1 : start_records(service, error);
}

/* The lock that kept the service from its database is gone, and no job of a client is in the way: all that lives from
 * the database starts anew. Calls wait, as at the start, until the devices are known. */
static void reopen_database(struct daemon *daemon)
{
	struct service *service = &daemon->service;
	struct mmt_error error;
	bool paused = svc_jobs_paused(service->jobs);
	svc_log(6, "the database is not locked any more");
	end_records(service);
	service->devices_known = daemon->jobs_started = false;
	if (start_records(service, &error) != 0) {
		svc_log(2, "%s", error.message);
		_exit(EXIT_FAILURE); /* half a service is none; what was found is in memory only */
	}
	svc_jobs_pause(service->jobs, paused);
	svc_rescan(service);
}

static void on_database(uv_timer_t *timer)
{
	struct daemon *daemon = timer->data;
	struct service *service = &daemon->service;
	if (service->draining || service->jobs == NULL)
		return;
	if (!service->in_memory)
		svc_database_keep(service);
	else if (svc_jobs_idle(service->jobs) && !svc_devices_enumerating(service->devices) &&
		 svc_database_is_free(service))
		reopen_database(daemon);
}

/* max_clients may be more than the soft limit, which is made for programs that use select(2). */
static void raise_descriptor_limit(void)
{
	struct rlimit limit;
	if (getrlimit(RLIMIT_NOFILE, &limit) != 0)
		return;
	limit.rlim_cur = limit.rlim_max;
	setrlimit(RLIMIT_NOFILE, &limit);
}

static void start_signals(struct daemon *daemon)
{
	struct {
		uv_signal_t *handle;
		uv_signal_cb callback;
		int signal;
	} const signals[] = {
		{&daemon->terminate, on_end, SIGTERM},
		{&daemon->interrupt, on_end, SIGINT},
		{&daemon->hangup, on_reload, SIGHUP},
	};
	signal(SIGPIPE, SIG_IGN);
	signal(SIGXFSZ, SIG_IGN); /* a file over its limit is a full disk, not the end */
	for (size_t i = 0; i < sizeof signals / sizeof *signals; i++) {
		uv_signal_init(&daemon->loop, signals[i].handle);
		signals[i].handle->data = daemon;
		uv_signal_start(signals[i].handle, signals[i].callback, signals[i].signal);
	}
	uv_async_init(&daemon->loop, &daemon->drained, on_drained);
	daemon->drained.data = daemon;
	uv_timer_init(&daemon->loop, &daemon->watchdog);
	uv_timer_init(&daemon->loop, &daemon->database);
	daemon->database.data = daemon;
	uv_timer_start(&daemon->database, on_database, DATABASE_INTERVAL_MS, DATABASE_INTERVAL_MS);
	uint64_t interval_ms = svc_notify_watchdog_ms();
	if (interval_ms > 0)
		uv_timer_start(&daemon->watchdog, on_watchdog, interval_ms, interval_ms);
}

static void finish(struct daemon *daemon)
{
	struct service *service = &daemon->service;
	svc_lock_release(&daemon->state_lock);
	if (daemon->kernels_loaded)
		kern_registry_finish(&service->kernels);
	kern_registry_finish(&daemon->read_anew);
	config_finish(&service->config);
	free(service->database_path);
	free(service->database_note);
	uv_loop_close(&daemon->loop);
}

int svc_daemon_run(const struct svc_options *options, struct config *config, struct mmt_error *error)
{
	struct daemon daemon = {
		.service = {.verbs = svc_verbs, .config = *config, .user_instance = options->user},
		.options = options,
		.state_lock = {.descriptor = -1},
	};
	struct service *service = &daemon.service;
	service->loop = &daemon.loop;
	service->started_at = (int64_t)time(NULL);
	int status = uv_loop_init(&daemon.loop);
	if (status != 0) {
		config_finish(&service->config);
		return mmt_error_set(error, MMT_SYSTEM, -status, "cannot start a loop: %s", uv_strerror(status));
	}
	raise_descriptor_limit();
	start_signals(&daemon);
	status = start_parts(&daemon, error);
	if (status == 0) {
		svc_log(6, "listening on %s", service->config.socket);
		svc_notify("READY=1\nSTATUS=looking for devices");
		svc_rescan(service);
	} else {
		close_all(&daemon);
	}
	uv_run(&daemon.loop, UV_RUN_DEFAULT);
	finish(&daemon);
	return status;
}
