/* process.c: two commands as whole processes, alternately, and the ratio of their medians.
 *
 *	bench-process [--rounds 300] 'COMMAND' 'PEER COMMAND'
 *
 * Commands are split at blanks and started without a shell; their standard
 * output goes to /dev/null. A command that fails ends the run. */
#include <fcntl.h>
#include <spawn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

extern char **environ;

static double run_us(char *const *words, posix_spawn_file_actions_t *actions)
{
	struct timespec start, end;
	pid_t child;
	int status;
	clock_gettime(CLOCK_MONOTONIC, &start);
	if (posix_spawnp(&child, words[0], actions, NULL, words, environ) != 0 || waitpid(child, &status, 0) < 0 ||
	    status != 0) {
		fprintf(stderr, "bench-process: '%s' failed\n", words[0]);
		exit(1);
	}
	clock_gettime(CLOCK_MONOTONIC, &end);
	return (double)(end.tv_sec - start.tv_sec) * 1e6 + (double)(end.tv_nsec - start.tv_nsec) / 1e3;
}

static void split(char *command, char **words, size_t most)
{
	size_t count = 0;
	for (char *word = strtok(command, " "); word && count + 1 < most; word = strtok(NULL, " "))
		words[count++] = word;
	words[count] = NULL;
}

static int compare(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;
	return x < y ? -1 : x > y;
}

int main(int argc, char **argv)
{
	size_t rounds = 300;
	int first = 1;
	if (argc > 2 && strcmp(argv[1], "--rounds") == 0) {
		rounds = strtoul(argv[2], NULL, 10);
		first = 3;
	}
	if (argc != first + 2 || rounds == 0) {
		fprintf(stderr, "usage: bench-process [--rounds N] 'COMMAND' 'PEER COMMAND'\n");
		return 2;
	}
	char *mine[64], *peer[64];
	char *names[2] = {strdup(argv[first]), strdup(argv[first + 1])};
	split(argv[first], mine, 64);
	split(argv[first + 1], peer, 64);
	posix_spawn_file_actions_t actions;
	posix_spawn_file_actions_init(&actions);
	posix_spawn_file_actions_addopen(&actions, 1, "/dev/null", O_WRONLY, 0);

	double *mine_us = calloc(rounds, sizeof *mine_us), *peer_us = calloc(rounds, sizeof *peer_us);
	for (size_t i = 0; i < rounds; i++) {
		mine_us[i] = run_us(mine, &actions);
		peer_us[i] = run_us(peer, &actions);
	}
	qsort(mine_us, rounds, sizeof *mine_us, compare);
	qsort(peer_us, rounds, sizeof *peer_us, compare);
	printf("%8.0f us  %s\n%8.0f us  %s\n", mine_us[rounds / 2], names[0], peer_us[rounds / 2], names[1]);
	printf("ratio of medians %.2f\n", mine_us[rounds / 2] / peer_us[rounds / 2]);
	posix_spawn_file_actions_destroy(&actions);
	free(mine_us);
	free(peer_us);
	free(names[0]);
	free(names[1]);
	return 0;
}
