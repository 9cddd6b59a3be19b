/* daemon.h: the life of the service, from its first lock to its last close.
 *
 *	starting --listening, database, kernels, jobs--> ready --devices known--> working
 *	ready, working --SIGTERM, SIGINT--> draining --running job closed--> closing --> ended
 *	draining --a second signal--> closing
 *	ready, working --SIGHUP--> the configuration is read and the devices are looked for anew
 *
 * Thread: the loop's, which runs within svc_daemon_run. */
#ifndef MMT_SERVICE_DAEMON_H
#define MMT_SERVICE_DAEMON_H

#include "mmtune/error.h"
#include "options.h"

/* Runs until it is told to end. config is taken, and finished. 0: ended well; -1 with the reason why it did not start.
 */
int svc_daemon_run(const struct svc_options *options, struct config *config, struct mmt_error *error);

#endif
