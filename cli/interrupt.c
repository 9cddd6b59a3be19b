/* interrupt.c: see interrupt.h. */
#include "interrupt.h"

#include <pthread.h>
#include <stdio.h>
#include <unistd.h>

#define INTERRUPTED_STATUS (128 + SIGINT) /* as a shell reports it */

static void *wait_for_signal(void *context)
{
	struct cli_interrupt *interrupt = context;
	int number;
	if (sigwait(&interrupt->signals, &number) != 0)
		return NULL;
	long long job = (long long)atomic_load(&interrupt->job);
	if (job > 0)
		dprintf(STDERR_FILENO, "\nmmtune: job %lld goes on; 'mmtune cancel %lld' ends it\n", job, job);
	_exit(INTERRUPTED_STATUS);
}

int cli_interrupt_init(struct cli_interrupt *interrupt, struct mmt_error *error)
{
	struct sigaction action;
	pthread_t thread;
	atomic_init(&interrupt->job, 0);
	if (sigaction(SIGINT, NULL, &action) == 0 && action.sa_handler == SIG_IGN)
		return 0;
	sigemptyset(&interrupt->signals);
	sigaddset(&interrupt->signals, SIGINT);
	pthread_sigmask(SIG_BLOCK, &interrupt->signals, NULL);
	int number = pthread_create(&thread, NULL, wait_for_signal, interrupt);
	if (number != 0)
		return mmt_error_set(error, MMT_SYSTEM, number, "cannot start a thread");
	pthread_detach(thread);
	return 0;
}
