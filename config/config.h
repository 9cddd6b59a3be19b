/* config.h: the service's configuration: an INI file, checked strictly.
 *
 * One table (config/keys.h) gives every key its section, name, type, range,
 * default and text; the parser, the man page and mmtuned.conf follow it. An
 * unknown or doubled key, a value out of range: an error with file and line.
 *
 * Thread: plain data. */
#ifndef MMT_CONFIG_H
#define MMT_CONFIG_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "mmtune/error.h"

#include "keys.h"

struct config {
#define CONFIG_FIELD_INTEGER(section, name, minimum, maximum, value, text) int64_t name;
#define CONFIG_FIELD_STRING(section, name, value, text)                    char *name;
#define CONFIG_FIELD_BOOLEAN(section, name, value, text)                   bool name;
	CONFIG_KEYS(CONFIG_FIELD_INTEGER, CONFIG_FIELD_STRING, CONFIG_FIELD_BOOLEAN, CONFIG_FIELD_STRING)
#undef CONFIG_FIELD_INTEGER
#undef CONFIG_FIELD_STRING
#undef CONFIG_FIELD_BOOLEAN
};

int config_init(struct config *config, struct mmt_error *error); /* the defaults */
void config_finish(struct config *config);
/* Reads a file over what is there. MMT_INVALID_ARGUMENT "FILE:LINE: ...";
 * a file that is not there is MMT_SYSTEM with foreign ENOENT. */
int config_read(struct config *config, const char *path, struct mmt_error *error);
/* Sets one key from text ("budget_s", "60"); same checks. */
int config_set(struct config *config, const char *section, const char *name, const char *text, struct mmt_error *error);
/* Writes the table as a commented mmtuned.conf with the defaults. */
int config_write_example(FILE *out);

#endif
