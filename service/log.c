/* log.c: what the service has to say, one line each. See service.h.
 *
 * Under systemd (which sets JOURNAL_STREAM) each line starts with its priority
 * in angle brackets, as sd-daemon(3) has it; on a terminal that would be noise.
 * Control characters in the text, which may hold what a driver or a client
 * said, become spaces: a line is never two. */
#include "service.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define LINE_BYTES 2048

void svc_log(int priority, const char *format, ...)
{
	char text[LINE_BYTES], line[LINE_BYTES + 32];
	va_list arguments;
	va_start(arguments, format);
	vsnprintf(text, sizeof text, format, arguments);
	va_end(arguments);
	for (char *c = text; *c != '\0'; c++)
		if ((unsigned char)*c < ' ' || *c == 0x7f)
			*c = ' ';
	int length = getenv("JOURNAL_STREAM") != NULL ? snprintf(line, sizeof line, "<%d>mmtuned: %s\n", priority, text)
						      : snprintf(line, sizeof line, "mmtuned: %s\n", text);
	/* One write, so that lines of the workers do not mix with it; nobody is left to hear of a failure. */
	if (write(STDERR_FILENO, line, (size_t)length) < 0)
		return;
}
