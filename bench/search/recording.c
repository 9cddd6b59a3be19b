/* recording.c: see recording.h. */
#include "recording.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#define LINE_BYTES 4096

/* The lines as numbers, n_parameters + 1 a row: the last is the time. */
struct table {
	double *cells;
	size_t n_rows, capacity, width;
};

static int no_memory(struct mmt_error *error)
{
	return mmt_error_set(error, MMT_NO_MEMORY, 0, "out of memory for a recording");
}

static int read_header(struct recording *recording, char *line, struct mmt_error *error)
{
	char *rest = line, *column;
	while ((column = strsep(&rest, ",\r\n")) != NULL && strcmp(column, "time_ms") != 0) {
		if (recording->n_parameters == SEARCH_MAX_PARAMETERS || *column == '\0')
			return mmt_error_set(error, MMT_INVALID_ARGUMENT, 0, "%s: malformed header", recording->name);
		recording->parameter_names[recording->n_parameters] = strdup(column);
		if (recording->parameter_names[recording->n_parameters] == NULL)
			return no_memory(error);
		recording->n_parameters++;
	}
	if (column == NULL)
		return mmt_error_set(error, MMT_INVALID_ARGUMENT, 0, "%s: no column time_ms", recording->name);
	return 0;
}

static int read_row(struct table *table, char *line, struct mmt_error *error)
{
	if (table->n_rows == table->capacity) {
		size_t capacity = table->capacity == 0 ? 1024 : 2 * table->capacity;
		double *cells = realloc(table->cells, capacity * table->width * sizeof(*cells));
		if (cells == NULL)
			return no_memory(error);
		table->cells = cells;
		table->capacity = capacity;
	}
	double *row = table->cells + table->n_rows * table->width;
	char *rest = line, *end;
	for (size_t i = 0; i < table->width; i++) {
		char *cell = strsep(&rest, ",\r\n");
		bool failed = i + 1 == table->width && cell != NULL && *cell == '\0';
		row[i] = failed ? INFINITY : cell == NULL ? NAN : strtod(cell, &end);
		if (isnan(row[i]) || (!failed && *end != '\0'))
			return mmt_error_set(error, MMT_INVALID_ARGUMENT, 0, "line %zu: malformed", table->n_rows + 2);
	}
	table->n_rows++;
	return 0;
}

static int read_table(struct recording *recording, const char *path, struct table *table, struct mmt_error *error)
{
	char line[LINE_BYTES];
	int status = -1;
	gzFile file = gzopen(path, "rb");
	if (file == NULL)
		return mmt_error_errno(error, "cannot open %s", path);
	if (gzgets(file, line, sizeof(line)) == NULL || read_header(recording, line, error) != 0)
		goto out;
	table->width = recording->n_parameters + 1;
	while (gzgets(file, line, sizeof(line)) != NULL)
		if (line[0] != '\n' && read_row(table, line, error) != 0)
			goto out;
	status = 0;
out:
	gzclose(file);
	return status;
}

static int compare_doubles(const void *a, const void *b)
{
	double left = *(const double *)a, right = *(const double *)b;
	return (left > right) - (left < right);
}

static size_t find_value(const struct recording *recording, size_t parameter, size_t count, double value)
{
	const double *values = recording->values[parameter];
	const double *found = bsearch(&value, values, count, sizeof(value), compare_doubles);
	return found == NULL ? SIZE_MAX : (size_t)(found - values);
}

/* The distinct values of a column, ascending; returns how many. */
static size_t collect_values(struct recording *recording, const struct table *table, size_t column)
{
	double *values = malloc((table->n_rows + 1) * sizeof(*values));
	size_t count = 0;
	if (values == NULL)
		return 0;
	for (size_t r = 0; r < table->n_rows; r++)
		values[r] = table->cells[r * table->width + column];
	qsort(values, table->n_rows, sizeof(*values), compare_doubles);
	for (size_t r = 0; r < table->n_rows; r++)
		if (r == 0 || values[r] != values[count - 1])
			values[count++] = values[r];
	recording->values[column] = values;
	return count;
}

/* A column's values as a space takes them; caller frees. */
static struct expr_value *list_values(const double *numbers, size_t count)
{
	struct expr_value *values = calloc(count + 1, sizeof(*values));
	for (size_t v = 0; v < count && values != NULL; v++) {
		if (numbers[v] == nearbyint(numbers[v]))
			values[v] = (struct expr_value){.kind = EXPR_INT, .integer = (int64_t)numbers[v]};
		else
			values[v] = (struct expr_value){.kind = EXPR_REAL, .real = numbers[v]};
	}
	return values;
}

static int make_space(struct recording *recording, const struct table *table, struct mmt_error *error)
{
	struct search_parameter parameters[SEARCH_MAX_PARAMETERS];
	struct expr_value *values[SEARCH_MAX_PARAMETERS];
	struct search_space_spec spec = {.parameters = parameters, .n_parameters = recording->n_parameters};
	size_t width = recording->n_parameters;
	uint16_t *rows = calloc(table->n_rows * width + 1, sizeof(*rows));
	recording->times_ns = malloc((table->n_rows + 1) * sizeof(recording->times_ns[0]));
	if (rows == NULL || recording->times_ns == NULL) {
		free(rows);
		return no_memory(error);
	}
	for (size_t p = 0; p < width; p++) {
		size_t count = collect_values(recording, table, p);
		values[p] = list_values(recording->values[p], count);
		parameters[p] = (struct search_parameter){
			.name = recording->parameter_names[p], .values = values[p], .n_values = count};
		for (size_t r = 0; r < table->n_rows && count > 0; r++)
			rows[r * width + p] =
				(uint16_t)find_value(recording, p, count, table->cells[r * table->width + p]);
	}
	recording->space = search_space_create_from_rows(&spec, rows, table->n_rows, error);
	for (size_t p = 0; p < width; p++)
		free(values[p]);
	recording->best_ns = INFINITY;
	for (size_t r = 0; r < table->n_rows && recording->space != NULL; r++) {
		double time_ns = 1e6 * table->cells[r * table->width + width];
		recording->times_ns[search_space_find(recording->space, rows + r * width)] = time_ns;
		recording->best_ns = fmin(recording->best_ns, time_ns);
	}
	recording->n_points = table->n_rows;
	free(rows);
	return recording->space == NULL ? -1 : 0;
}

int recording_init(struct recording *recording, const char *path, struct mmt_error *error)
{
	struct table table = {0};
	const char *slash = strrchr(path, '/');
	*recording = (struct recording){.name = strdup(slash == NULL ? path : slash + 1)};
	if (recording->name == NULL)
		return no_memory(error);
	recording->name[strcspn(recording->name, ".")] = '\0';
	const char *device = strstr(recording->name, "__");
	recording->kernel =
		device == NULL ? strdup(recording->name) : strndup(recording->name, (size_t)(device - recording->name));
	int status = recording->kernel == NULL ? no_memory(error) : read_table(recording, path, &table, error);
	if (status == 0)
		status = make_space(recording, &table, error);
	free(table.cells);
	if (status != 0)
		recording_finish(recording);
	return status;
}

void recording_finish(struct recording *recording)
{
	for (size_t p = 0; p < recording->n_parameters; p++) {
		free(recording->parameter_names[p]);
		free(recording->values[p]);
	}
	search_space_destroy(recording->space);
	free(recording->times_ns);
	free(recording->kernel);
	free(recording->name);
	*recording = (struct recording){0};
}

size_t recording_map(const struct recording *from, size_t point, const struct recording *to)
{
	uint16_t row[SEARCH_MAX_PARAMETERS];
	const uint16_t *original = search_space_get(from->space, point);
	if (from->n_parameters != to->n_parameters)
		return SEARCH_NO_POINT;
	for (size_t p = 0; p < to->n_parameters; p++) {
		double value = from->values[p][original[p]];
		size_t index = find_value(to, p, search_space_values(to->space, p), value);
		if (index == SIZE_MAX)
			return SEARCH_NO_POINT;
		row[p] = (uint16_t)index;
	}
	return search_space_find(to->space, row);
}
