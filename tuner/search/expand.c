/* expand.c: depth first, and every condition as early as possible.
 *
 * The order in which parameters are bound: again and again the condition whose
 * unbound parameters have the fewest combinations, then those parameters.
 * Conditions on one parameter only thin out its values beforehand. Parameters
 * that no condition reads come last; what they multiply is known before they
 * are walked, so that a space that is too large is refused before it is
 * stored. */
#include "expand.h"

#include <stdlib.h>
#include <string.h>

struct level {
	size_t parameter;
	const uint16_t *candidates; /* value indices that pass the parameter's own conditions */
	size_t n_candidates, next;
	size_t first_condition, n_conditions; /* in walk.conditions: testable from this level on */
};

struct walk {
	const struct search_space_spec *spec;
	struct level levels[SEARCH_MAX_PARAMETERS];
	size_t n_constrained; /* levels before the parameters that no condition reads */
	uint64_t n_free;      /* combinations of those */
	uint16_t *candidates; /* the levels' */
	const struct expr **conditions;
	struct expr_value slots[SEARCH_MAX_PARAMETERS];
	uint16_t row[SEARCH_MAX_PARAMETERS];
	uint16_t *rows;
	size_t n_rows, capacity;
	uint64_t steps;
	struct mmt_error *error;
};

static bool holds(const struct walk *walk, const struct expr *condition)
{
	bool truth;
	return expr_eval_truth(condition, walk->slots, walk->spec->sizes, &truth, NULL) == 0 && truth;
}

static bool all_hold(const struct walk *walk, const struct level *level)
{
	for (size_t i = 0; i < level->n_conditions; i++)
		if (!holds(walk, walk->conditions[level->first_condition + i]))
			return false;
	return true;
}

static bool is_unary(uint64_t uses)
{
	return uses != 0 && (uses & (uses - 1)) == 0;
}

/* The combinations of the parameters in a set, capped. */
static uint64_t combinations(const struct search_space_spec *spec, uint64_t parameters)
{
	uint64_t product = 1;
	for (size_t p = 0; p < spec->n_parameters; p++)
		if (parameters >> p & 1 && __builtin_mul_overflow(product, spec->parameters[p].n_values, &product))
			return UINT64_MAX;
	return product;
}

/* The unbound parameters of the condition that is cheapest to make testable; 0: none is left. */
static uint64_t cheapest(const struct search_space_spec *spec, uint64_t bound)
{
	uint64_t best = 0, best_count = UINT64_MAX;
	for (size_t c = 0; c < spec->n_conditions; c++) {
		uint64_t unbound = expr_uses(spec->conditions[c]) & ~bound;
		uint64_t count = combinations(spec, unbound);
		if (unbound != 0 && !is_unary(expr_uses(spec->conditions[c])) && (best == 0 || count < best_count)) {
			best = unbound;
			best_count = count;
		}
	}
	return best;
}

/* Values of a parameter that pass the conditions on it alone. */
static size_t thin_out(struct walk *walk, size_t parameter, uint16_t *out)
{
	const struct search_parameter *values = &walk->spec->parameters[parameter];
	size_t count = 0;
	for (size_t v = 0; v < values->n_values; v++) {
		bool valid = true;
		walk->slots[parameter] = values->values[v];
		for (size_t c = 0; c < walk->spec->n_conditions && valid; c++)
			if (expr_uses(walk->spec->conditions[c]) == (uint64_t)1 << parameter)
				valid = holds(walk, walk->spec->conditions[c]);
		if (valid)
			out[count++] = (uint16_t)v;
	}
	return count;
}

/* Appends a level for each parameter in the set, in their own order. */
static void add_levels(struct walk *walk, uint64_t parameters, size_t *n_levels, uint16_t **candidates)
{
	for (size_t p = 0; p < walk->spec->n_parameters; p++) {
		if (!(parameters >> p & 1))
			continue;
		struct level *level = &walk->levels[(*n_levels)++];
		level->parameter = p;
		level->candidates = *candidates;
		level->n_candidates = thin_out(walk, p, *candidates);
		*candidates += level->n_candidates;
	}
}

/* Gives each level the conditions whose last parameter it binds. */
static void place_conditions(struct walk *walk)
{
	const struct search_space_spec *spec = walk->spec;
	uint64_t bound = 0;
	size_t placed = 0;
	for (size_t l = 0; l < spec->n_parameters; l++) {
		struct level *level = &walk->levels[l];
		uint64_t now = bound | (uint64_t)1 << level->parameter;
		level->first_condition = placed;
		for (size_t c = 0; c < spec->n_conditions; c++) {
			uint64_t uses = expr_uses(spec->conditions[c]);
			if (uses != 0 && !is_unary(uses) && (uses & ~bound) != 0 && (uses & ~now) == 0)
				walk->conditions[placed++] = spec->conditions[c];
		}
		level->n_conditions = placed - level->first_condition;
		bound = now;
	}
}

static int prepare(struct walk *walk)
{
	const struct search_space_spec *spec = walk->spec;
	size_t n_values = 0, n_levels = 0;
	for (size_t p = 0; p < spec->n_parameters; p++)
		n_values += spec->parameters[p].n_values;
	walk->candidates = malloc((n_values + 1) * sizeof(walk->candidates[0]));
	walk->conditions = malloc((spec->n_conditions + 1) * sizeof(walk->conditions[0]));
	if (walk->candidates == NULL || walk->conditions == NULL)
		return mmt_error_set(walk->error, MMT_NO_MEMORY, 0, "out of memory for a search space");
	uint16_t *candidates = walk->candidates;
	uint64_t bound = 0, next;
	while ((next = cheapest(spec, bound)) != 0) {
		add_levels(walk, next, &n_levels, &candidates);
		bound |= next;
	}
	walk->n_constrained = n_levels;
	add_levels(walk, ~bound, &n_levels, &candidates);
	walk->n_free = 1;
	for (size_t l = walk->n_constrained; l < n_levels; l++)
		if (__builtin_mul_overflow(walk->n_free, walk->levels[l].n_candidates, &walk->n_free))
			walk->n_free = UINT64_MAX; /* too many, or none: an empty level ends the walk anyway */
	place_conditions(walk);
	return 0;
}

static int store(struct walk *walk)
{
	size_t width = walk->spec->n_parameters;
	if (walk->n_rows == walk->capacity) {
		size_t capacity = walk->capacity == 0 ? 256 : 2 * walk->capacity;
		uint16_t *rows = realloc(walk->rows, capacity * width * sizeof(rows[0]) + 1);
		if (rows == NULL)
			return mmt_error_set(walk->error, MMT_NO_MEMORY, 0, "out of memory for a search space");
		walk->rows = rows;
		walk->capacity = capacity;
	}
	memcpy(walk->rows + walk->n_rows++ * width, walk->row, width * sizeof(walk->row[0]));
	return 0;
}

/* Called where all conditions hold: do the configurations below fit? */
static int check_room(struct walk *walk)
{
	if (walk->n_free <= SEARCH_MAX_POINTS - walk->n_rows)
		return 0;
	return mmt_error_set(walk->error, MMT_TOO_LARGE, 0, "the space has more than %zu valid configurations",
			     SEARCH_MAX_POINTS);
}

/* Binds the next value of a level: 1: it has one and its conditions hold; 0: none is left; -1: error. */
static int advance(struct walk *walk, struct level *level)
{
	const struct search_parameter *parameter = &walk->spec->parameters[level->parameter];
	while (level->next < level->n_candidates) {
		uint16_t value = level->candidates[level->next++];
		if (++walk->steps > SEARCH_MAX_WALK)
			return mmt_error_set(walk->error, MMT_TOO_LARGE, 0,
					     "the conditions leave more than %llu partial configurations to try",
					     (unsigned long long)SEARCH_MAX_WALK);
		walk->slots[level->parameter] = parameter->values[value];
		walk->row[level->parameter] = value;
		if (all_hold(walk, level))
			return 1;
	}
	level->next = 0;
	return 0;
}

static int descend(struct walk *walk)
{
	size_t depth = 0, n_levels = walk->spec->n_parameters;
	for (;;) {
		if (depth == walk->n_constrained && (depth == n_levels || walk->levels[depth].next == 0) &&
		    check_room(walk) != 0)
			return -1;
		int found = 0;
		if (depth == n_levels) {
			if (store(walk) != 0)
				return -1;
		} else {
			found = advance(walk, &walk->levels[depth]);
		}
		if (found < 0)
			return -1;
		if (found > 0)
			depth++;
		else if (depth-- == 0)
			return 0;
	}
}

/* Whether any configuration is left when each parameter is looked at alone. */
static bool may_have_points(const struct walk *walk)
{
	for (size_t l = 0; l < walk->spec->n_parameters; l++)
		if (walk->levels[l].n_candidates == 0)
			return false;
	for (size_t c = 0; c < walk->spec->n_conditions; c++)
		if (expr_uses(walk->spec->conditions[c]) == 0 && !holds(walk, walk->spec->conditions[c]))
			return false;
	return true;
}

int search_expand(const struct search_space_spec *spec, uint16_t **rows, size_t *n_rows, struct mmt_error *error)
{
	struct walk walk = {.spec = spec, .error = error};
	int status = prepare(&walk);
	if (status == 0 && may_have_points(&walk))
		status = descend(&walk);
	free(walk.candidates);
	free(walk.conditions);
	if (status != 0) {
		free(walk.rows);
		return -1;
	}
	*rows = walk.rows;
	*n_rows = walk.n_rows;
	return 0;
}
