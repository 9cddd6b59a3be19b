/* paths.c: see paths.h. */
#include "paths.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

struct place {
	const char *key;             /* in [service] */
	const char *option;          /* what the user can give instead */
	const char *unit_variable;   /* set by systemd for a system service */
	const char *system;          /* else this, for a system service */
	const char *user_variable;   /* XDG base directory */
	const char *user_below_home; /* its default; NULL: it has none */
	const char *file;            /* appended; "": the folder itself */
};

static const struct place socket_place = {
	"socket", "--socket PATH", "RUNTIME_DIRECTORY", "/run/mmtune", "XDG_RUNTIME_DIR", NULL, "/socket",
};
static const struct place state_place = {
	"state_directory",
	"--state-directory DIR",
	"STATE_DIRECTORY",
	"/var/lib/mmtune",
	"XDG_STATE_HOME",
	".local/state",
	"",
};
static const struct place cache_place = {
	"cache_directory",
	"--cache-directory DIR",
	"CACHE_DIRECTORY",
	"/var/cache/mmtune",
	"XDG_CACHE_HOME",
	".cache",
	"",
};
static const struct place config_place = {
	NULL, "--config FILE", "CONFIGURATION_DIRECTORY", "/etc/mmtune", "XDG_CONFIG_HOME", ".config", "/mmtuned.conf",
};
static const struct place kernel_place = {
	"kernel_directory",
	"--set service.kernel_directory=DIR",
	"CONFIGURATION_DIRECTORY",
	"/etc/mmtune",
	"XDG_CONFIG_HOME",
	".config",
	"/kernels",
};

static int print_path(char out[PATH_MAX], struct mmt_error *error, const char *a, const char *b, const char *c)
{
	int length = snprintf(out, PATH_MAX, "%s%s%s", a, b, c);
	if (length >= PATH_MAX)
		return mmt_error_set(error, MMT_INVALID_ARGUMENT, ENAMETOOLONG, "the path %.60s... is too long", a);
	return 0;
}

static int locate_system(const struct place *place, char out[PATH_MAX], struct mmt_error *error)
{
	const char *given = getenv(place->unit_variable);
	char first[PATH_MAX];
	if (given == NULL || given[0] != '/')
		return print_path(out, error, place->system, place->file, "");
	/* systemd separates several with a colon; ours is the first. */
	snprintf(first, sizeof first, "%.*s", (int)strcspn(given, ":"), given);
	return print_path(out, error, first, place->file, "");
}

static int locate_user(const struct place *place, char out[PATH_MAX], struct mmt_error *error)
{
	/* A base directory that is not absolute is to be ignored: XDG Base Directory Specification. */
	const char *base = getenv(place->user_variable), *home = getenv("HOME");
	if (base != NULL && base[0] == '/')
		return print_path(out, error, base, "/mmtune", place->file);
	if (place->user_below_home == NULL)
		return mmt_error_set(error, MMT_INVALID_ARGUMENT, 0, "%s is not set: give %s", place->user_variable,
				     place->option);
	if (home == NULL || home[0] != '/')
		return mmt_error_set(error, MMT_INVALID_ARGUMENT, 0, "HOME is not set: give %s", place->option);
	char folder[PATH_MAX];
	if (print_path(folder, error, home, "/", place->user_below_home) != 0)
		return -1;
	return print_path(out, error, folder, "/mmtune", place->file);
}

static int locate(const struct place *place, bool user, char out[PATH_MAX], struct mmt_error *error)
{
	return user ? locate_user(place, out, error) : locate_system(place, out, error);
}

int svc_paths_config_file(bool user, char out[PATH_MAX], struct mmt_error *error)
{
	return locate(&config_place, user, out, error);
}

static int fill(struct config *config, const char *value, const struct place *place, bool user, struct mmt_error *error)
{
	char path[PATH_MAX];
	if (value[0] != '\0')
		return 0;
	if (locate(place, user, path, error) != 0)
		return -1;
	return config_set(config, "service", place->key, path, error);
}

/* A folder for drop-in kernels is optional: without a place for it, or where it is not there, there is none. */
static int fill_kernels(struct config *config, bool user, struct mmt_error *error)
{
	char path[PATH_MAX];
	if (config->kernel_directory[0] != '\0' || locate(&kernel_place, user, path, NULL) != 0 ||
	    access(path, F_OK) != 0)
		return 0;
	return config_set(config, "service", kernel_place.key, path, error);
}

static int fill_worker(struct config *config, struct mmt_error *error)
{
	static const char *const beside[] = {"/mmtune-worker", "/../tuner/worker/mmtune-worker"};
	if (config->worker[0] != '\0')
		return 0;
	char program[PATH_MAX], path[PATH_MAX];
	ssize_t length = readlink("/proc/self/exe", program, sizeof program - 1);
	char *slash = length > 0 ? memrchr(program, '/', (size_t)length) : NULL;
	for (size_t i = 0; slash != NULL && i < sizeof beside / sizeof *beside; i++) {
		*slash = '\0';
		if (print_path(path, NULL, program, beside[i], "") == 0 && access(path, X_OK) == 0)
			return config_set(config, "service", "worker", path, error);
	}
	return config_set(config, "service", "worker", MMTUNE_LIBEXECDIR "/mmtune-worker", error);
}

int svc_paths_resolve(struct config *config, bool user, struct mmt_error *error)
{
	if (fill(config, config->socket, &socket_place, user, error) != 0 ||
	    fill(config, config->state_directory, &state_place, user, error) != 0 ||
	    fill(config, config->cache_directory, &cache_place, user, error) != 0 ||
	    fill_kernels(config, user, error) != 0)
		return -1;
	return fill_worker(config, error);
}

/* Makes one folder of that very mode, whatever the umask; one that is there stays as it is. */
static int make_one(const char *path, mode_t mode, struct mmt_error *error)
{
	struct stat found;
	if (mkdir(path, mode) == 0)
		return chmod(path, mode) == 0 ? 0 : mmt_error_errno(error, "cannot set the mode of %s", path);
	int why = errno; /* EROFS and EACCES come before EEXIST */
	if (stat(path, &found) == 0)
		return S_ISDIR(found.st_mode) ? 0
					      : mmt_error_set(error, MMT_SYSTEM, ENOTDIR, "%s is not a folder", path);
	errno = why;
	return mmt_error_errno(error, "cannot make the folder %s", path);
}

/* Makes a folder and those above it, which get the usual mode. */
static int make_folder(const char *path, mode_t mode, struct mmt_error *error)
{
	char part[PATH_MAX];
	if (print_path(part, error, path, "", "") != 0)
		return -1;
	for (char *slash = strchr(part + 1, '/'); slash != NULL; slash = strchr(slash + 1, '/')) {
		*slash = '\0';
		if (make_one(part, 0755, error) != 0)
			return -1;
		*slash = '/';
	}
	return make_one(part, mode, error);
}

int svc_paths_make_socket_folder(const struct config *config, struct mmt_error *error)
{
	char folder[PATH_MAX];
	if (print_path(folder, error, config->socket, "", "") != 0)
		return -1;
	char *slash = strrchr(folder, '/');
	if (slash == NULL || slash == folder)
		return 0; /* the working directory, or the root: there */
	*slash = '\0';
	return make_folder(folder, 0755, error);
}

int svc_paths_make_state(const struct config *config, struct mmt_error *error)
{
	return make_folder(config->state_directory, 0700, error);
}

static int export_folder(const struct config *config, const char *variable, const char *name, struct mmt_error *error)
{
	char folder[PATH_MAX];
	if (getenv(variable) != NULL)
		return 0;
	if (print_path(folder, error, config->cache_directory, name, "") != 0 || make_folder(folder, 0700, error) != 0)
		return -1;
	return setenv(variable, folder, 0) == 0 ? 0 : mmt_error_errno(error, "cannot set %s", variable);
}

int svc_paths_make_cache(const struct config *config, struct mmt_error *error)
{
	if (make_folder(config->cache_directory, 0700, error) != 0 ||
	    export_folder(config, "POCL_CACHE_DIR", "/pocl", error) != 0)
		return -1;
	return export_folder(config, "CUDA_CACHE_PATH", "/cuda", error);
}

char *svc_paths_join(const char *folder, const char *file, struct mmt_error *error)
{
	char *path;
	if (asprintf(&path, "%s/%s", folder, file) >= 0)
		return path;
	mmt_error_set(error, MMT_NO_MEMORY, 0, "no memory for a path");
	return NULL;
}
