/* space.c: see space.h. Rows are sorted, so that find() is a binary search and
 * needs no index beside them. */
#include "space.h"
#include "expand.h"

#include <stdlib.h>
#include <string.h>

struct search_space {
	size_t n_parameters, n_points;
	size_t *n_values; /* of each parameter */
	uint8_t *twos;    /* of each value of each parameter, one parameter after the other */
	uint16_t *rows;   /* n_points rows of n_parameters value indices, sorted */
	size_t default_point;
};

static int compare_rows(const void *a, const void *b, void *width)
{
	const uint16_t *left = a, *right = b;
	for (size_t i = 0; i < *(const size_t *)width; i++)
		if (left[i] != right[i])
			return left[i] < right[i] ? -1 : 1;
	return 0;
}

static bool is_sorted(const struct search_space *space)
{
	for (size_t p = 1; p < space->n_points; p++)
		if (compare_rows(search_space_get(space, p - 1), search_space_get(space, p),
				 (void *)&space->n_parameters) > 0)
			return false;
	return true;
}

static void sort_rows(struct search_space *space)
{
	if (!is_sorted(space))
		qsort_r(space->rows, space->n_points, space->n_parameters * sizeof(space->rows[0]), compare_rows,
			&space->n_parameters);
}

static size_t find_default(const struct search_space *space, const struct search_space_spec *spec)
{
	size_t best = SEARCH_NO_POINT, fewest = SIZE_MAX, nearest = SIZE_MAX;
	for (size_t p = 0; p < space->n_points; p++) {
		const uint16_t *row = search_space_get(space, p);
		size_t different = 0, steps = 0;
		for (size_t i = 0; i < space->n_parameters && different <= fewest; i++) {
			size_t wanted = spec->parameters[i].default_index;
			different += row[i] != wanted;
			steps += row[i] > wanted ? row[i] - wanted : wanted - row[i];
		}
		if (different > fewest || (different == fewest && steps >= nearest))
			continue;
		best = p;
		fewest = different;
		nearest = steps;
	}
	return best;
}

static int check(const struct search_space_spec *spec, struct mmt_error *error)
{
	if (spec->n_parameters > SEARCH_MAX_PARAMETERS)
		return mmt_error_set(error, MMT_INVALID_ARGUMENT, 0, "%zu parameters, and at most %d are allowed",
				     spec->n_parameters, SEARCH_MAX_PARAMETERS);
	uint64_t known = spec->n_parameters == 64 ? UINT64_MAX : ((uint64_t)1 << spec->n_parameters) - 1;
	for (size_t p = 0; p < spec->n_parameters; p++) {
		const struct search_parameter *parameter = &spec->parameters[p];
		if (parameter->n_values == 0 || parameter->n_values > UINT16_MAX)
			return mmt_error_set(error, MMT_INVALID_ARGUMENT, 0,
					     "parameter %s has %zu values; 1 to 65535 are allowed", parameter->name,
					     parameter->n_values);
		if (parameter->default_index >= parameter->n_values)
			return mmt_error_set(error, MMT_INVALID_ARGUMENT, 0, "parameter %s has no value %zu",
					     parameter->name, parameter->default_index);
	}
	for (size_t c = 0; c < spec->n_conditions; c++)
		if (expr_uses(spec->conditions[c]) & ~known)
			return mmt_error_set(error, MMT_INVALID_ARGUMENT, 0,
					     "the condition '%s' reads a name that is no parameter",
					     expr_text(spec->conditions[c]));
	return 0;
}

static uint8_t count_twos(const struct expr_value *value)
{
	if (value->kind != EXPR_INT || value->integer == 0)
		return 0;
	return (uint8_t)__builtin_ctzll((unsigned long long)value->integer);
}

static uint8_t *list_twos(const struct search_space_spec *spec)
{
	size_t n_values = 0;
	for (size_t p = 0; p < spec->n_parameters; p++)
		n_values += spec->parameters[p].n_values;
	uint8_t *twos = calloc(n_values + 1, 1);
	uint8_t *next = twos;
	for (size_t p = 0; p < spec->n_parameters && twos != NULL; p++) {
		for (size_t v = 0; v < spec->parameters[p].n_values && spec->parameters[p].values != NULL; v++)
			next[v] = count_twos(&spec->parameters[p].values[v]);
		next += spec->parameters[p].n_values;
	}
	return twos;
}

/* Takes rows over, also on failure. */
static struct search_space *create(const struct search_space_spec *spec, uint16_t *rows, size_t n_rows,
				   struct mmt_error *error)
{
	struct search_space *space = calloc(1, sizeof(*space));
	size_t *n_values = calloc(spec->n_parameters + 1, sizeof(*n_values));
	uint8_t *twos = list_twos(spec);
	if (space == NULL || n_values == NULL || twos == NULL) {
		free(space);
		free(n_values);
		free(twos);
		free(rows);
		mmt_error_set(error, MMT_NO_MEMORY, 0, "out of memory for a search space");
		return NULL;
	}
	for (size_t p = 0; p < spec->n_parameters; p++)
		n_values[p] = spec->parameters[p].n_values;
	*space = (struct search_space){.n_parameters = spec->n_parameters,
				       .n_points = n_rows,
				       .n_values = n_values,
				       .twos = twos,
				       .rows = rows};
	sort_rows(space);
	space->default_point = find_default(space, spec);
	return space;
}

struct search_space *search_space_create(const struct search_space_spec *spec, struct mmt_error *error)
{
	uint16_t *rows;
	size_t n_rows;
	if (check(spec, error) != 0 || search_expand(spec, &rows, &n_rows, error) != 0)
		return NULL;
	return create(spec, rows, n_rows, error);
}

static int check_rows(const struct search_space_spec *spec, const uint16_t *rows, size_t n_rows,
		      struct mmt_error *error)
{
	if (n_rows > SEARCH_MAX_POINTS)
		return mmt_error_set(error, MMT_TOO_LARGE, 0, "%zu configurations, and at most %zu are allowed", n_rows,
				     SEARCH_MAX_POINTS);
	for (size_t i = 0; i < n_rows * spec->n_parameters; i++) {
		const struct search_parameter *parameter = &spec->parameters[i % spec->n_parameters];
		if (rows[i] >= parameter->n_values)
			return mmt_error_set(error, MMT_INVALID_ARGUMENT, 0, "parameter %s has no value %u",
					     parameter->name, rows[i]);
	}
	return 0;
}

struct search_space *search_space_create_from_rows(const struct search_space_spec *spec, const uint16_t *rows,
						   size_t n_rows, struct mmt_error *error)
{
	if (check(spec, error) != 0 || check_rows(spec, rows, n_rows, error) != 0)
		return NULL;
	size_t bytes = n_rows * spec->n_parameters * sizeof(rows[0]);
	uint16_t *copy = malloc(bytes + 1);
	if (copy == NULL) {
		mmt_error_set(error, MMT_NO_MEMORY, 0, "out of memory for a search space");
		return NULL;
	}
	if (bytes > 0)
		memcpy(copy, rows, bytes);
	struct search_space *space = create(spec, copy, n_rows, error);
	for (size_t p = 1; space != NULL && p < n_rows; p++)
		if (compare_rows(search_space_get(space, p - 1), search_space_get(space, p), &space->n_parameters) ==
		    0) {
			mmt_error_set(error, MMT_INVALID_ARGUMENT, 0, "a configuration is listed twice");
			search_space_destroy(space);
			return NULL;
		}
	return space;
}

void search_space_destroy(struct search_space *space)
{
	if (space == NULL)
		return;
	free(space->n_values);
	free(space->twos);
	free(space->rows);
	free(space);
}

size_t search_space_points(const struct search_space *space)
{
	return space->n_points;
}

size_t search_space_parameters(const struct search_space *space)
{
	return space->n_parameters;
}

size_t search_space_values(const struct search_space *space, size_t parameter)
{
	return space->n_values[parameter];
}

unsigned search_space_twos(const struct search_space *space, size_t parameter, size_t value)
{
	const uint8_t *twos = space->twos;
	for (size_t p = 0; p < parameter; p++)
		twos += space->n_values[p];
	return twos[value];
}

const uint16_t *search_space_get(const struct search_space *space, size_t point)
{
	return space->rows + point * space->n_parameters;
}

size_t search_space_find(const struct search_space *space, const uint16_t *indices)
{
	size_t first = 0, last = space->n_points;
	while (first < last) {
		size_t middle = first + (last - first) / 2;
		int order = compare_rows(search_space_get(space, middle), indices, (void *)&space->n_parameters);
		if (order == 0)
			return middle;
		if (order < 0)
			first = middle + 1;
		else
			last = middle;
	}
	return SEARCH_NO_POINT;
}

size_t search_space_default(const struct search_space *space)
{
	return space->default_point;
}

size_t search_space_neighbours(const struct search_space *space, size_t point, size_t *out, size_t max)
{
	uint16_t row[SEARCH_MAX_PARAMETERS];
	size_t count = 0;
	memcpy(row, search_space_get(space, point), space->n_parameters * sizeof(row[0]));
	for (size_t p = 0; p < space->n_parameters; p++) {
		uint16_t own = row[p];
		for (size_t v = 0; v < space->n_values[p]; v++) {
			row[p] = (uint16_t)v;
			size_t found = v == own ? SEARCH_NO_POINT : search_space_find(space, row);
			if (found == SEARCH_NO_POINT)
				continue;
			if (count < max)
				out[count] = found;
			count++;
		}
		row[p] = own;
	}
	return count;
}
