/* notify.c: see notify.h. */
#include "notify.h"

#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

void svc_notify(const char *format, ...)
{
	const char *path = getenv("NOTIFY_SOCKET");
	struct sockaddr_un address = {.sun_family = AF_UNIX};
	if (path == NULL || (path[0] != '/' && path[0] != '@') || strlen(path) >= sizeof address.sun_path)
		return;
	size_t path_length = strlen(path);
	memcpy(address.sun_path, path, path_length);
	if (path[0] == '@') /* the abstract name space: unix(7) */
		address.sun_path[0] = '\0';

	char message[512];
	va_list arguments;
	va_start(arguments, format);
	vsnprintf(message, sizeof message, format, arguments);
	va_end(arguments);
	int descriptor = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	if (descriptor < 0)
		return;
	sendto(descriptor, message, strlen(message), MSG_NOSIGNAL | MSG_DONTWAIT, (const struct sockaddr *)&address,
	       (socklen_t)(offsetof(struct sockaddr_un, sun_path) + path_length));
	close(descriptor);
}

uint64_t svc_notify_watchdog_ms(void)
{
	const char *interval_us = getenv("WATCHDOG_USEC"), *process = getenv("WATCHDOG_PID");
	if (interval_us == NULL || (process != NULL && strtol(process, NULL, 10) != (long)getpid()))
		return 0;
	return strtoull(interval_us, NULL, 10) / 2000;
}
