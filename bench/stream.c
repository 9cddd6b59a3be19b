/* stream.c: the copy family's plan against copies in C by all cores, in one run.
 *
 *	mmtune query --family copy --n N --m 1 --k 1 --json --source | bench-stream [--seconds 3] [--csv]
 *
 * The peers copy arrays of the same size as STREAM does (McCalpin, "Memory
 * bandwidth and machine balance in current high performance computers", 1995):
 * one thread a core, each a contiguous part, touched first by the thread that
 * uses it; once with plain stores, once with stores past the caches, where the
 * processor has them. Bytes are counted as STREAM counts them: read once,
 * written once. */
#include <pthread.h>
#include <sched.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#ifdef __SSE2__
#include <emmintrin.h>
#endif

#include "contest.h"
#include "plan_launch.h"

enum { MAX_THREADS = 256, LINE_BYTES = 64 };

typedef void copy_part(char *to, const char *from, size_t bytes);

/* One thread a core, who wait for the next copy. */
struct team {
	size_t n_threads, bytes;
	char *from, *to;
	copy_part *part; /* NULL: end */
	pthread_barrier_t start, end;
	pthread_t threads[MAX_THREADS];
};

struct member {
	struct team *team;
	size_t index;
};

struct stream {
	struct team *team;
	copy_part *part;
};

#ifdef __SSE2__
static void copy_plain(char *to, const char *from, size_t bytes)
{
	for (size_t i = 0; i < bytes; i += LINE_BYTES)
		for (size_t j = 0; j < LINE_BYTES; j += sizeof(__m128i))
			_mm_store_si128((void *)(to + i + j), _mm_load_si128((const void *)(from + i + j)));
}

static void copy_past_caches(char *to, const char *from, size_t bytes)
{
	for (size_t i = 0; i < bytes; i += LINE_BYTES)
		for (size_t j = 0; j < LINE_BYTES; j += sizeof(__m128i))
			_mm_stream_si128((void *)(to + i + j), _mm_load_si128((const void *)(from + i + j)));
	_mm_sfence();
}
#endif

/* As the C library thinks best. */
static void copy_by_library(char *to, const char *from, size_t bytes)
{
	memcpy(to, from, bytes);
}

static void fill(char *to, const char *from, size_t bytes)
{
	memset(to, 1, bytes);
	memset((char *)from, 2, bytes);
}

static const struct peer {
	const char *name;
	copy_part *part;
} peers[] = {
#ifdef __SSE2__
	{"C, plain stores", copy_plain},
	{"C, stores past the caches", copy_past_caches},
#endif
	{"C, memcpy", copy_by_library},
};
enum { PEERS = sizeof peers / sizeof *peers };

/* ---- the team ---- */

static void *serve(void *context)
{
	struct member member = *(struct member *)context;
	struct team *team = member.team;
	const size_t lines = team->bytes / LINE_BYTES;
	const size_t first = lines * member.index / team->n_threads * LINE_BYTES;
	const size_t end = lines * (member.index + 1) / team->n_threads * LINE_BYTES;
	free(context);
	for (;;) {
		pthread_barrier_wait(&team->start);
		if (!team->part)
			return NULL;
		team->part(team->to + first, team->from + first, end - first);
		pthread_barrier_wait(&team->end);
	}
}

static void copy(void *context)
{
	struct stream *stream = context;
	stream->team->part = stream->part;
	pthread_barrier_wait(&stream->team->start);
	pthread_barrier_wait(&stream->team->end);
}

static void team_init(struct team *team, size_t bytes)
{
	cpu_set_t set;
	int cores = sched_getaffinity(0, sizeof set, &set) == 0 ? CPU_COUNT(&set) : 1;
	team->n_threads = cores < MAX_THREADS ? (size_t)cores : MAX_THREADS;
	team->bytes = bytes / LINE_BYTES * LINE_BYTES;
	team->from = aligned_alloc(4096, (bytes + 4095) / 4096 * 4096);
	team->to = aligned_alloc(4096, (bytes + 4095) / 4096 * 4096);
	if (!team->from || !team->to)
		plan_fail("no memory for the arrays", (long)bytes);
	pthread_barrier_init(&team->start, NULL, (unsigned)team->n_threads + 1);
	pthread_barrier_init(&team->end, NULL, (unsigned)team->n_threads + 1);
	for (size_t i = 0; i < team->n_threads; i++) {
		struct member *member = malloc(sizeof *member);
		if (!member)
			plan_fail("no memory for a thread", (long)i);
		*member = (struct member){team, i};
		if (pthread_create(&team->threads[i], NULL, serve, member) != 0)
			plan_fail("pthread_create", (long)i);
	}
	copy(&(struct stream){team, fill});
}

static void team_finish(struct team *team)
{
	team->part = NULL;
	pthread_barrier_wait(&team->start);
	for (size_t i = 0; i < team->n_threads; i++)
		pthread_join(team->threads[i], NULL);
	pthread_barrier_destroy(&team->start);
	pthread_barrier_destroy(&team->end);
	free(team->from);
	free(team->to);
}

/* ---- the plan ---- */

static void run_plan(void *context)
{
	plan_launch_run(context);
}

static void print(const struct contender *const *contenders, size_t count, double bytes, bool csv)
{
	const struct contender *best = contenders[1];
	for (size_t i = 2; i < count; i++)
		if (contenders[i]->median_ns < best->median_ns)
			best = contenders[i];
	if (csv)
		puts("copy,gbps,gb_per_core_s,ratio");
	else
		printf("%-28s %8s %9s %8s\n", "copy", "GB/s", "/core s", "mmtune =");
	for (size_t i = 0; i < count; i++)
		printf(csv ? "\"%s\",%.4g,%.4g,%.4g\n" : "%-28s %8.2f %9.2f %8.2f\n", contenders[i]->name,
		       bytes / contenders[i]->median_ns, bytes / contenders[i]->core_ns,
		       contest_ratio(contenders[0], contenders[i]));
	fprintf(stderr, "%.2f of the best in C; %s\n", contest_ratio(contenders[0], best), contest_machine());
}

static void measure(const json_t *answer, double seconds, bool csv)
{
	static struct contender contenders[1 + PEERS];
	static struct team team;
	struct stream streams[PEERS];
	struct contender *list[1 + PEERS];
	const json_t *problem = json_object_get(answer, "problem");
	const size_t element_bytes = strcmp(plan_text(problem, "type"), "f64") == 0 ? 8 : 4;
	const size_t bytes = (size_t)plan_integer(problem, "n") * element_bytes;
	struct plan_device where;

	team_init(&team, bytes);
	plan_device_init(&where, answer);
	struct plan_launch *plan = plan_launch_create(&where, answer);
	cl_mem src = plan_buffer(&where, team.from, bytes), dst = plan_buffer(&where, team.to, bytes);
	plan_launch_bind(plan, "src", src);
	plan_launch_bind(plan, "dst", dst);
	contenders[0] = (struct contender){.name = "mmtune", .run = run_plan, .context = plan};
	list[0] = &contenders[0];
	for (size_t i = 0; i < PEERS; i++) {
		streams[i] = (struct stream){&team, peers[i].part};
		contenders[1 + i] = (struct contender){.name = peers[i].name, .run = copy, .context = &streams[i]};
		list[1 + i] = &contenders[1 + i];
	}
	contest(list, 1 + PEERS, seconds);
	print((const struct contender *const *)list, 1 + PEERS, 2.0 * (double)bytes, csv);
	clReleaseMemObject(src);
	clReleaseMemObject(dst);
	plan_launch_destroy(plan);
	plan_device_finish(&where);
	team_finish(&team);
}

int main(int argc, char **argv)
{
	double seconds = 3;
	bool csv = false;
	for (int i = 1; i < argc; i++) {
		if (strcmp(argv[i], "--csv") == 0) {
			csv = true;
		} else if (strcmp(argv[i], "--seconds") == 0 && i + 1 < argc) {
			seconds = strtod(argv[++i], NULL);
		} else {
			fprintf(stderr, "usage: mmtune query --family copy ... --json --source | "
					"bench-stream [--seconds S] [--csv]\n");
			return 2;
		}
	}
	json_error_t where;
	json_t *answer = json_loadf(stdin, 0, &where);
	if (!answer)
		plan_fail("standard input is not JSON", where.position);
	measure(answer, seconds, csv);
	json_decref(answer);
	return 0;
}
