/* error.c: see mmtune/error.h. A message goes to terminals and into JSON, so
 * that whatever it was made from, it leaves here as printable UTF-8. */
#include "mmtune/error.h"

#include <errno.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "utf8.h"

static const struct {
	const char *wire_name;
	const char *text;
	int exit_status;
} table[MMT_CODE_COUNT] = {[MMT_OK] = {"Ok", "no error", 0},
#define ROW(code, wire, status, words) [MMT_##code] = {.wire_name = wire, .text = words, .exit_status = status},
			   MMT_ERROR_TABLE(ROW)
#undef ROW
};

/* Replaces what would break a terminal or JSON; a character cut in two by the
 * record's size is dropped. */
static void clean(char *message, bool cut)
{
	for (size_t i = 0; message[i] != '\0';) {
		size_t length = utf8_length(message + i);
		if (length == 0 && cut && i + 4 >= strlen(message) && (message[i] & 0x80) != 0) {
			message[i] = '\0';
			return;
		}
		unsigned char byte = (unsigned char)message[i];
		bool control = (byte < 0x20 && byte != '\n' && byte != '\t') || byte == 0x7f;
		if (length == 0 || control)
			message[i] = '?';
		i += length == 0 ? 1 : length;
	}
}

static void format_message(struct mmt_error *error, const char *format, va_list arguments)
{
	/* The arguments may point into the record: compose apart from it. */
	char message[MMT_MESSAGE_BYTES];
	int length = vsnprintf(message, sizeof message, format, arguments);
	if (length < 0)
		message[0] = '\0';
	clean(message, length >= (int)sizeof message);
	memcpy(error->message, message, sizeof message);
}

int mmt_error_set(struct mmt_error *error, enum mmt_code code, int foreign, const char *format, ...)
{
	if (error == NULL)
		return -1;
	va_list arguments;
	va_start(arguments, format);
	format_message(error, format, arguments);
	va_end(arguments);
	error->code = code;
	error->foreign = foreign;
	return -1;
}

int mmt_error_errno(struct mmt_error *error, const char *format, ...)
{
	int number = errno;
	if (error == NULL)
		return -1;
	va_list arguments;
	va_start(arguments, format);
	format_message(error, format, arguments);
	va_end(arguments);
	/* A name with more bytes than a path can have loses its end, never the reason. */
	char reason[128];
	const char *text = strerrordesc_np(number);
	snprintf(reason, sizeof reason, ": %s", text != NULL ? text : "unknown error");
	size_t room = sizeof error->message - 1 - strlen(reason);
	if (strlen(error->message) > room) {
		error->message[room] = '\0';
		clean(error->message, true);
	}
	strcat(error->message, reason);
	error->code = MMT_SYSTEM;
	error->foreign = number;
	return -1;
}

static enum mmt_code known(enum mmt_code code)
{
	return (unsigned)code < MMT_CODE_COUNT ? code : MMT_FAILED;
}

const char *mmt_code_wire_name(enum mmt_code code)
{
	return table[known(code)].wire_name;
}

int mmt_code_exit_status(enum mmt_code code)
{
	return table[known(code)].exit_status;
}

const char *mmt_code_text(enum mmt_code code)
{
	return table[known(code)].text;
}

enum mmt_code mmt_code_from_wire_name(const char *name)
{
	static const char prefix[] = "org.mmtune.Tuner.";
	if (strncmp(name, prefix, sizeof prefix - 1) == 0)
		name += sizeof prefix - 1;
	for (int code = MMT_OK + 1; code < MMT_CODE_COUNT; code++)
		if (strcmp(name, table[code].wire_name) == 0)
			return (enum mmt_code)code;
	return MMT_FAILED;
}
