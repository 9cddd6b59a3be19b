/* main.c: mmtune-worker: the only program here that loads OpenCL drivers.
 *
 * The service starts it, with one end of a socket pair as descriptor 3, and
 * kills it when it hangs. It never outlives the service, leaves no core, and
 * lets drivers print to stderr only.
 *
 * Exit status: 0 the service closed the stream, or the device was lost and said so;
 * 1 failure, explained on stderr; 2 usage. */
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <unistd.h>

#include "enumerate.h"
#include "protocol.h"
#include "serve.h"

#define EXIT_USAGE 2

static const char help[] = "Usage: mmtune-worker --enumerate\n"
			   "       mmtune-worker --fingerprint HEX\n"
			   "       mmtune-worker --help | --version\n"
			   "\n"
			   "Builds, verifies and measures kernels for mmtuned; not meant to be run by hand.\n"
			   "\n"
			   "  --enumerate        print every OpenCL device as JSON, with hints where one is missing\n"
			   "  --fingerprint HEX  work on this device, speaking with mmtuned over descriptor 3\n"
			   "  --help             print this text\n"
			   "  --version          print the version\n";

static void guard_process(void)
{
	const struct rlimit none = {0, 0};

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	setrlimit(RLIMIT_CORE, &none);
	signal(SIGPIPE, SIG_IGN);
}

/* Standard output, moved out of the drivers' reach: what they print goes to stderr. */
static int take_standard_output(void)
{
	int kept = dup(STDOUT_FILENO);

	dup2(STDERR_FILENO, STDOUT_FILENO);
	return kept;
}

static int enumerate(struct mmt_error *error)
{
	struct worker_devices list;
	int output = take_standard_output();
	int status = worker_devices_init(&list, error);

	if (status == 0) {
		worker_hints_loader(&list.hints);
		status = worker_print_devices(output, list.devices, list.n_devices, worker_hints_list(&list.hints),
					      error);
	}
	worker_devices_finish(&list);
	close(output);
	return status;
}

static int usage(const char *message, const char *argument)
{
	fprintf(stderr, "mmtune-worker: %s%s\nTry 'mmtune-worker --help'.\n", message, argument);
	return EXIT_USAGE;
}

int main(int argc, char **argv)
{
	struct mmt_error error = {0};
	int status;

	if (argc < 2)
		return usage("an option is needed", "");
	guard_process();
	if (argc == 2 && strcmp(argv[1], "--help") == 0)
		return fputs(help, stdout) < 0;
	if (argc == 2 && strcmp(argv[1], "--version") == 0)
		return puts("mmtune-worker " MMTUNE_VERSION) < 0;
	if (argc == 2 && strcmp(argv[1], "--enumerate") == 0) {
		status = enumerate(&error);
	} else if (argc == 3 && strcmp(argv[1], "--fingerprint") == 0) {
		close(take_standard_output());
		status = worker_serve(argv[2], &error);
	} else {
		return usage("unexpected arguments, beginning with ", argv[1]);
	}
	if (status != 0)
		fprintf(stderr, "mmtune-worker: %s\n", error.message);
	return status != 0;
}
