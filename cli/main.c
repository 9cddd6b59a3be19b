/* main.c: `mmtune`: parse, run one verb, say what went wrong, once.
 *
 * stdout carries data, stderr all else. A usage error is found before anything
 * is asked of the service. The exit status is the error's, from the one table
 * in mmtune/error.h.
 *
 * Thread: one, but for tune's (interrupt.h). */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "options.h"

/* A program started without descriptor 1 would give it to the socket and print into it. */
static void open_missing_descriptors(void)
{
	for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++)
		if (fcntl(fd, F_GETFD) < 0 && open("/dev/null", O_RDWR) < 0)
			_exit(1);
}

static int dispatch(struct cli_context *context, struct mmt_error *error)
{
	if (cli_is_given(context, "version")) {
		printf("mmtune %s\n", mmt_version());
		return 0;
	}
	if (cli_is_given(context, "help")) {
		cli_print_help(stdout, context->verb);
		return 0;
	}
	if (context->verb == NULL)
		return mmt_error_set(error, MMT_INVALID_ARGUMENT, 0, "a verb is missing: see 'mmtune --help'");
	const char *socket = cli_value(context, "socket");
	if (socket != NULL && socket[0] == '\0')
		return mmt_error_set(error, MMT_INVALID_ARGUMENT, 0, "option --socket needs a path, but is empty");
	return context->verb->run(context, error);
}

/* Writes what is left; a reader that went away is no news to anybody. */
static int finish_output(int status)
{
	bool failed_before = ferror(stdout) != 0;
	errno = 0;
	if (fflush(stdout) == 0 && !failed_before)
		return status;
	if (errno != EPIPE)
		fprintf(stderr, "mmtune: cannot write the output: %s\n",
			errno != 0 ? strerror(errno) : "an earlier write failed");
	return status != 0 ? status : 1;
}

int main(int argc, char **argv)
{
	open_missing_descriptors();
	struct cli_context context = {.verb = NULL};
	struct mmt_error error = {.code = MMT_OK};
	int status = cli_parse(&context, argc, argv, &error);
	if (status == 0)
		status = dispatch(&context, &error);
	status = finish_output(status);
	if (status < 0) {
		fprintf(stderr, "mmtune: %s\n", error.message);
		status = mmt_code_exit_status(error.code);
	}
	cli_context_finish(&context);
	return status;
}
