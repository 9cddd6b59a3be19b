/* notify.h: tells systemd how it goes: sd_notify(3)'s datagrams.
 *
 * Without NOTIFY_SOCKET every function does nothing.
 *
 * Thread: the loop's. */
#ifndef MMT_SERVICE_NOTIFY_H
#define MMT_SERVICE_NOTIFY_H

#include <stdint.h>

/* Sends one message, "READY=1\nSTATUS=..." for example. What cannot be sent is lost: nobody waits for it. */
void svc_notify(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* How often WATCHDOG=1 has to come, half of what systemd waits, in milliseconds; 0: no watchdog for this process. */
uint64_t svc_notify_watchdog_ms(void);

#endif
