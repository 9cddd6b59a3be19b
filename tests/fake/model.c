/* model.c: see model.h. */
#include "model.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "registry.h"

#define LAUNCH_NS        3000.0  /* cost of a launch */
#define FINISH_NS        20000.0 /* and of waiting for it, which only the host's clock sees */
#define RIPPLE           0.01
#define STEEPNESS        4.0 /* a parameter off by 2^4 doubles the time */
#define BEST_POWERS      7
#define DEFINE_PREFIX    "-D"
#define NORMAL_QUARTILES 1.349 /* between the quartiles of a standard normal */

/* FNV-1a with a final mix (splitmix64): any bit of the text moves every bit of the result. */
static uint64_t hash(uint64_t seed, const char *text, size_t length)
{
	uint64_t h = 0xcbf29ce484222325u ^ seed;

	for (size_t i = 0; i < length; i++)
		h = (h ^ (unsigned char)text[i]) * 0x100000001b3u;
	h = (h ^ (h >> 30)) * 0xbf58476d1ce4e5b9u;
	h = (h ^ (h >> 27)) * 0x94d049bb133111ebu;
	return h ^ (h >> 31);
}

static double unit(uint64_t bits)
{
	return (double)(bits >> 11) / (double)((uint64_t)1 << 53);
}

static double best_value(const struct fake_script *script, const char *name, size_t length)
{
	for (size_t i = 0; i < script->n_best; i++) {
		if (strlen(script->best[i].name) == length && strncmp(script->best[i].name, name, length) == 0)
			return script->best[i].value;
	}
	return (double)(1u << hash((uint64_t)script->seed, name, length) % BEST_POWERS);
}

/* What the problem decides is no tuning parameter. */
static bool is_of_problem(const char *name)
{
	return strncmp(name, "PROBLEM_", 8) == 0 || strncmp(name, "TRANS_", 6) == 0;
}

static double penalty(const struct fake_script *script, const char *options)
{
	double sum = 0;

	for (const char *at = options; (at = strstr(at, DEFINE_PREFIX)) != NULL;) {
		const char *name = at + strlen(DEFINE_PREFIX);
		size_t length = strcspn(name, "= ");
		double distance;
		char *end;
		double value;

		at = name + length;
		if (*at != '=' || is_of_problem(name))
			continue;
		value = strtod(at + 1, &end);
		if (end == at + 1 || (*end != '\0' && *end != ' ') || value < 0)
			continue;
		distance = log2((1 + value) / (1 + best_value(script, name, length))) / STEEPNESS;
		sum += distance * distance;
	}
	return sum;
}

static double operations(const struct mmt_problem *problem)
{
	const struct kern_family *family = kern_family_find(problem->family);

	if (family != NULL)
		return family->operations(problem);
	return 2.0 * (double)problem->m * (double)problem->n * (double)problem->k;
}

double fake_model_time_ns(const struct fake_script *script, const struct mmt_problem *problem,
			  const struct kern_plan *plan)
{
	const char *options = plan->launches[0].build_options;
	double ripple = RIPPLE * unit(hash((uint64_t)script->seed, options, strlen(options)));
	double work_ns = operations(problem) / script->rate_gflops;

	return (work_ns * (1 + penalty(script, options)) + LAUNCH_NS * (double)plan->n_launches) * (1 + ripple);
}

const struct fake_fault *fake_model_fault(const struct fake_script *script, const struct kern_plan *plan)
{
	const char *options = plan->launches[0].build_options;

	for (size_t i = 0; i < script->n_faults; i++) {
		const struct fake_fault *fault = &script->faults[i];
		uint64_t bits = hash((uint64_t)script->seed + 1 + i, options, strlen(options));

		if (strstr(options, fault->match) != NULL && unit(bits) < fault->probability)
			return fault;
	}
	return NULL;
}

uint64_t fake_model_hash(const struct fake_script *script, const struct kern_plan *plan)
{
	const char *options = plan->launches[0].build_options;

	return hash((uint64_t)script->seed, options, strlen(options));
}

void fake_clock_init(struct fake_clock *clock, const struct fake_script *script)
{
	*clock = (struct fake_clock){.script = script, .noise = hash((uint64_t)script->seed, "noise", 5)};
}

void fake_clock_next(struct fake_clock *clock, const struct kern_plan *plan)
{
	const char *options = plan->launches[0].build_options;

	clock->measured++;
	clock->noise = hash(clock->noise, options, strlen(options));
}

/* Uniform in (0, 1]. */
static double next_random(struct fake_clock *clock)
{
	clock->noise += 0x9e3779b97f4a7c15u; /* splitmix64's step */
	return 1 - unit(hash(clock->noise, "", 0));
}

/* Standard normal (Box and Muller, 1958). */
static double next_normal(struct fake_clock *clock)
{
	double radius = sqrt(-2 * log(next_random(clock)));

	return radius * cos(2 * 3.14159265358979323846 * next_random(clock));
}

static bool is_dropped(const struct fake_clock *clock)
{
	return (double)clock->measured > clock->script->drop_from && (double)clock->measured <= clock->script->drop_to;
}

/* The part by which a timing is longer than the true one. */
static double next_slowdown(struct fake_clock *clock)
{
	const struct fake_script *script = clock->script;
	double slowdown = 1 + script->noise * next_random(clock);

	slowdown *= exp(script->spread / NORMAL_QUARTILES * next_normal(clock));
	return is_dropped(clock) ? slowdown / (1 - script->drop_fraction) : slowdown;
}

static uint64_t ticks(const struct fake_clock *clock, double ns)
{
	double step_ns = clock->script->timer_ns;

	return (uint64_t)(floor(ns / step_ns) * step_ns);
}

void fake_clock_time(struct fake_clock *clock, double time_ns, unsigned repeats, struct worker_timing *out)
{
	const struct fake_script *script = clock->script;
	double length_ns = time_ns * repeats * next_slowdown(clock);
	uint64_t swap;

	clock->now_ns += FINISH_NS;
	out->start_ns = ticks(clock, clock->now_ns);
	clock->now_ns += length_ns;
	out->end_ns = ticks(clock, clock->now_ns);
	out->host_ns = length_ns + FINISH_NS;
	out->has_events = true;
	if (script->events == FAKE_EVENTS_ZERO) {
		out->start_ns = out->end_ns = 0;
	} else if (script->events == FAKE_EVENTS_REVERSED) {
		swap = out->start_ns;
		out->start_ns = out->end_ns;
		out->end_ns = swap;
	}
}
