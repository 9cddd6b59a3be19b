#include "config.h"

#include <errno.h>
#include <ini.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "problem_list.h"

/* inih's buffer (INI_MAX_LINE in ini.h, 200) with its two ends; a longer line it would cut in two. */
#define LINE_BYTES 197

enum kind { KIND_INTEGER, KIND_STRING, KIND_BOOLEAN, KIND_PROBLEMS };

struct key {
	const char *section, *name;
	enum kind kind;
	size_t offset; /* into struct config */
	int64_t minimum, maximum, integer;
	const char *string;
	bool boolean;
	const char *text;
};

#define KEY_INTEGER(section_, name_, minimum_, maximum_, value, text_) \
	{.section = #section_,                                         \
	 .name = #name_,                                               \
	 .kind = KIND_INTEGER,                                         \
	 .offset = offsetof(struct config, name_),                     \
	 .minimum = (minimum_),                                        \
	 .maximum = (maximum_),                                        \
	 .integer = (value),                                           \
	 .text = (text_)},
#define KEY_TEXT(section_, name_, kind_, value, text_) \
	{.section = #section_,                         \
	 .name = #name_,                               \
	 .kind = (kind_),                              \
	 .offset = offsetof(struct config, name_),     \
	 .string = (value),                            \
	 .text = (text_)},
#define KEY_STRING(section, name, value, text)   KEY_TEXT(section, name, KIND_STRING, value, text)
#define KEY_PROBLEMS(section, name, value, text) KEY_TEXT(section, name, KIND_PROBLEMS, value, text)
#define KEY_BOOLEAN(section_, name_, value, text_) \
	{.section = #section_,                     \
	 .name = #name_,                           \
	 .kind = KIND_BOOLEAN,                     \
	 .offset = offsetof(struct config, name_), \
	 .boolean = (value),                       \
	 .text = (text_)},

static const struct key keys[] = {CONFIG_KEYS(KEY_INTEGER, KEY_STRING, KEY_BOOLEAN, KEY_PROBLEMS)};
#define KEY_COUNT (sizeof(keys) / sizeof(keys[0]))

static void *field(struct config *config, const struct key *key)
{
	return (char *)config + key->offset;
}

static int set_string(struct config *config, const struct key *key, const char *text, struct mmt_error *error)
{
	char **at = field(config, key);
	char *copy = strdup(text);
	if (!copy)
		return mmt_error_set(error, MMT_NO_MEMORY, 0, "out of memory while reading the configuration");
	free(*at);
	*at = copy;
	return 0;
}

static int set_problems(struct config *config, const struct key *key, const char *text, struct mmt_error *error)
{
	struct config_problem *list;
	size_t count;
	struct mmt_error problem = {0};
	if (config_problems_parse(text, &list, &count, &problem) != 0)
		return mmt_error_set(error, problem.code, 0, "%s: %s", key->name, problem.message);
	free(list);
	return set_string(config, key, text, error);
}

static int set_integer(struct config *config, const struct key *key, const char *text, struct mmt_error *error)
{
	char *end = NULL;
	errno = 0;
	long long value = strtoll(text, &end, 10);
	bool digits = text[0] == '-' ? text[1] >= '0' && text[1] <= '9' : text[0] >= '0' && text[0] <= '9';
	if (!digits || *end)
		return mmt_error_set(error, MMT_INVALID_ARGUMENT, 0, "%s: '%s' is not a whole number", key->name, text);
	if (errno == ERANGE || value < key->minimum || value > key->maximum)
		return mmt_error_set(error, MMT_INVALID_ARGUMENT, 0, "%s: %s is not between %lld and %lld", key->name,
				     text, (long long)key->minimum, (long long)key->maximum);
	*(int64_t *)field(config, key) = value;
	return 0;
}

static int set_boolean(struct config *config, const struct key *key, const char *text, struct mmt_error *error)
{
	bool yes = strcmp(text, "yes") == 0 || strcmp(text, "true") == 0;
	if (!yes && strcmp(text, "no") != 0 && strcmp(text, "false") != 0)
		return mmt_error_set(error, MMT_INVALID_ARGUMENT, 0, "%s: '%s' is not yes, no, true or false",
				     key->name, text);
	*(bool *)field(config, key) = yes;
	return 0;
}

static int set_key(struct config *config, const struct key *key, const char *text, struct mmt_error *error)
{
	static int (*const setters[])(struct config *, const struct key *, const char *, struct mmt_error *) = {
		[KIND_INTEGER] = set_integer,
		[KIND_STRING] = set_string,
		[KIND_BOOLEAN] = set_boolean,
		[KIND_PROBLEMS] = set_problems,
	};
	return setters[key->kind](config, key, text, error);
}

static bool is_text(const struct key *key)
{
	return key->kind == KIND_STRING || key->kind == KIND_PROBLEMS;
}

static bool known_section(const char *section)
{
	for (size_t i = 0; i < KEY_COUNT; i++)
		if (strcmp(keys[i].section, section) == 0)
			return true;
	return false;
}

static const struct key *find_key(const char *section, const char *name, struct mmt_error *error)
{
	for (size_t i = 0; i < KEY_COUNT; i++)
		if (strcmp(keys[i].section, section) == 0 && strcmp(keys[i].name, name) == 0)
			return &keys[i];
	if (!known_section(section))
		mmt_error_set(error, MMT_INVALID_ARGUMENT, 0, "there is no section [%s]", section);
	else
		mmt_error_set(error, MMT_INVALID_ARGUMENT, 0, "section [%s] has no key '%s'", section, name);
	return NULL;
}

int config_init(struct config *config, struct mmt_error *error)
{
	*config = (struct config){0};
	for (size_t i = 0; i < KEY_COUNT; i++) {
		const struct key *key = &keys[i];
		if (key->kind == KIND_INTEGER)
			*(int64_t *)field(config, key) = key->integer;
		else if (key->kind == KIND_BOOLEAN)
			*(bool *)field(config, key) = key->boolean;
		else if (set_string(config, key, key->string, error) < 0)
			goto failed;
	}
	return 0;
failed:
	config_finish(config);
	return -1;
}

void config_finish(struct config *config)
{
	for (size_t i = 0; i < KEY_COUNT; i++)
		if (is_text(&keys[i]))
			free(*(char **)field(config, &keys[i]));
	*config = (struct config){0};
}

int config_set(struct config *config, const char *section, const char *name, const char *text, struct mmt_error *error)
{
	const struct key *key = find_key(section, name, error);
	return key ? set_key(config, key, text, error) : -1;
}

/* ---- a file ---- */

struct reading {
	FILE *file;
	const char *path;
	int line;
	int lines_of[KEY_COUNT]; /* where each key was set; 0: not yet */
	struct config *config;
	struct mmt_error *error;
	bool failed;
	char buffer[LINE_BYTES + 2]; /* the line, a byte too many, and the end */
};

/* Keeps the first error only. Returns 0, which is inih's word for failure. */
static int fail_at(struct reading *reading, const char *text)
{
	if (!reading->failed)
		mmt_error_set(reading->error, MMT_INVALID_ARGUMENT, 0, "%s:%d: %s", reading->path, reading->line, text);
	reading->failed = true;
	return 0;
}

static int check_section(struct reading *reading, const char *line)
{
	char text[LINE_BYTES + 64];
	const char *end = strchr(line, ']');
	if (!end)
		return fail_at(reading, "the section's ']' is missing");
	const char *rest = end + 1 + strspn(end + 1, " \t\r\n");
	if (*rest && *rest != ';' && *rest != '#')
		return fail_at(reading, "something stands behind the section's ']'");
	char *name = strndup(line + 1, (size_t)(end - line - 1));
	bool known = name && known_section(name);
	snprintf(text, sizeof(text), "there is no section [%s]", name ? name : "");
	free(name);
	return known ? 1 : fail_at(reading, text);
}

/* What inih would pass over: it tells its handler about keys only, and goes on after a mistake. */
static int check_line(struct reading *reading, const char *line)
{
	if (*line == '[')
		return check_section(reading, line);
	if (strchr(";#\r\n", *line) || strpbrk(line, "=:"))
		return 1;
	return fail_at(reading, "neither a [section] nor 'key = value'");
}

/* Reads one line, of one that is too long a byte too many: a file without an end has no end of a line either. How many
 * bytes; 0: the end. */
static size_t next_line(struct reading *reading)
{
	size_t length = 0;
	int byte = 0;
	while (length <= LINE_BYTES && byte != '\n' && (byte = getc(reading->file)) != EOF)
		reading->buffer[length++] = (char)byte;
	reading->buffer[length] = '\0';
	return length;
}

/* fgets for inih that counts the lines (this build of inih does not tell them) and refuses what
 * inih would misread: lines that are too long, NUL bytes, lines that continue the one before. */
static char *read_line(char *out, int bytes, void *context)
{
	struct reading *reading = context;
	size_t length = reading->failed ? 0 : next_line(reading);
	if (length == 0)
		return NULL;
	reading->line++;
	if (length > LINE_BYTES || length >= (size_t)bytes) {
		char text[64];
		snprintf(text, sizeof(text), "the line is too long: at most %d bytes, its end included", LINE_BYTES);
		return fail_at(reading, text), NULL;
	}
	if (memchr(reading->buffer, '\0', length))
		return fail_at(reading, "the line has a NUL byte"), NULL;
	char *start = reading->buffer;
	if (reading->line == 1 && strncmp(start, "\xef\xbb\xbf", 3) == 0)
		start += 3; /* a byte order mark */
	start += strspn(start, " \t");
	return check_line(reading, start) ? strcpy(out, start) : NULL;
}

static int on_key(void *context, const char *section, const char *name, const char *value)
{
	struct reading *reading = context;
	struct mmt_error problem = {0};
	char text[MMT_MESSAGE_BYTES];
	const struct key *key = find_key(section, name, &problem);
	if (!section[0]) {
		snprintf(text, sizeof(text), "'%s' stands before the first [section]", name);
		return fail_at(reading, text);
	}
	if (!key)
		return fail_at(reading, problem.message);
	int *line = &reading->lines_of[key - keys];
	if (*line) {
		snprintf(text, sizeof(text), "%s was set in line %d already", name, *line);
		return fail_at(reading, text);
	}
	*line = reading->line;
	return set_key(reading->config, key, value, &problem) == 0 ? 1 : fail_at(reading, problem.message);
}

int config_read(struct config *config, const char *path, struct mmt_error *error)
{
	struct reading reading = {.path = path, .config = config, .error = error};
	reading.file = fopen(path, "re");
	if (!reading.file)
		return mmt_error_errno(error, "cannot read %s", path);
	int first_error = ini_parse_stream(read_line, &reading, on_key, &reading);
	if (ferror(reading.file) && !reading.failed) {
		reading.failed = true;
		mmt_error_errno(error, "cannot read %s", path);
	} else if (first_error > 0) {
		reading.line = first_error;
		fail_at(&reading, "the line cannot be read");
	}
	fclose(reading.file);
	return reading.failed ? -1 : 0;
}

/* ---- the example ---- */

static void write_key(FILE *out, const struct key *key)
{
	fprintf(out, "\n# %s", key->text);
	if (key->kind == KIND_INTEGER)
		fprintf(out, " (%lld to %lld)\n#%s = %lld\n", (long long)key->minimum, (long long)key->maximum,
			key->name, (long long)key->integer);
	else
		fprintf(out, "\n#%s =%s%s\n", key->name, key->string && !key->string[0] ? "" : " ",
			is_text(key)   ? key->string
			: key->boolean ? "yes"
				       : "no");
}

int config_write_example(FILE *out)
{
	fputs("# mmtuned.conf: the configuration of the auto-tuning service; see mmtuned.conf(5).\n"
	      "# Every key is here, with its default. 'mmtuned --check-config' checks this file.\n",
	      out);
	for (size_t i = 0; i < KEY_COUNT; i++) {
		if (i == 0 || strcmp(keys[i].section, keys[i - 1].section) != 0)
			fprintf(out, "\n[%s]\n", keys[i].section);
		write_key(out, &keys[i]);
	}
	return ferror(out) ? -1 : 0;
}
