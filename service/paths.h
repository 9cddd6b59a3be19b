/* paths.h: where things are: empty configuration values get their places.
 *
 *	            system                      --user
 *	socket      /run/mmtune/socket          $XDG_RUNTIME_DIR/mmtune/socket
 *	state       /var/lib/mmtune             $XDG_STATE_HOME/mmtune, ~/.local/state/mmtune
 *	cache       /var/cache/mmtune           $XDG_CACHE_HOME/mmtune, ~/.cache/mmtune
 *	config      /etc/mmtune                 $XDG_CONFIG_HOME/mmtune, ~/.config/mmtune
 *
 * systemd's $RUNTIME_DIRECTORY, $STATE_DIRECTORY, $CACHE_DIRECTORY and
 * $CONFIGURATION_DIRECTORY go before the system's. The configuration folder
 * holds mmtuned.conf and kernels/.
 *
 * Thread: at start-up and reload only; reads and sets the environment. */
#ifndef MMT_SERVICE_PATHS_H
#define MMT_SERVICE_PATHS_H

#include <limits.h>
#include <stdbool.h>

#include "config.h"

/* The default configuration file; MMT_INVALID_ARGUMENT when HOME is needed and not set. */
int svc_paths_config_file(bool user, char out[PATH_MAX], struct mmt_error *error);

/* Fills socket, state, cache and kernel directory and worker where they are empty; kernel_directory stays
 * empty when there is none. MMT_INVALID_ARGUMENT names the option that helps. */
int svc_paths_resolve(struct config *config, bool user, struct mmt_error *error);

/* Makes the folder that the socket is in (mode 0755). */
int svc_paths_make_socket_folder(const struct config *config, struct mmt_error *error);
/* Makes the state directory (0700). */
int svc_paths_make_state(const struct config *config, struct mmt_error *error);
/* Makes the cache directory (0700) and tells the drivers' compilers, which workers
 * inherit: POCL_CACHE_DIR, CUDA_CACHE_PATH, unless they are set. */
int svc_paths_make_cache(const struct config *config, struct mmt_error *error);

/* FOLDER/FILE; caller frees. NULL: memory. */
char *svc_paths_join(const char *folder, const char *file, struct mmt_error *error);

#endif
