/* devices.h: the devices of this machine, under names that stay.
 *
 * A short-lived worker enumerates; each device it reports is bound to a name
 * in the database by its fingerprint: seen before, it keeps its name; new, it
 * gets the next free one of its type (cpu0, gpu0, gpu1, acc0).
 *
 * Thread: the loop's. */
#ifndef MMT_SERVICE_DEVICES_H
#define MMT_SERVICE_DEVICES_H

#include "device.h"
#include "service.h"

struct svc_device {
	struct kern_device properties;
	char name[16];
	int64_t id, environment_id; /* rows in the database */
	bool present;               /* reported by the last enumeration */
	unsigned peaks_rechecked;   /* bit mmt_type: see jobs_recheck_peak */
	unsigned crashes;           /* of its workers, in a row */
	unsigned quarantines;       /* in a row; the next lasts longer */
	int64_t quarantined_until;  /* Unix seconds; 0: not */
	char quarantine_reason[256];
};

typedef void svc_devices_ready(struct service *service, const struct mmt_error *error);

struct svc_devices *svc_devices_create(struct service *service, struct mmt_error *error); /* loads the known ones */
void svc_devices_destroy(struct svc_devices *devices);
/* Runs the enumerating worker; ready is called once, error NULL when it went well. A call while one runs joins it. */
void svc_devices_enumerate(struct svc_devices *devices, svc_devices_ready *ready);
void svc_devices_give_up(struct svc_devices *devices); /* an enumeration that is under way ends soon, with an error */
bool svc_devices_enumerating(const struct svc_devices *devices);

size_t svc_devices_count(const struct svc_devices *devices);
struct svc_device *svc_devices_at(struct svc_devices *devices, size_t index); /* by name order; borrowed */
struct svc_device *svc_devices_by_id(struct svc_devices *devices, int64_t id);
/* By name (gpu0), full device name, UUID or fingerprint. NULL with
 * MMT_NO_SUCH_DEVICE, whose message lists what there is, or MMT_INVALID_ARGUMENT (ambiguous). */
struct svc_device *svc_devices_find(struct svc_devices *devices, const char *text, struct mmt_error *error);
/* Why the list is empty or short: sentences from the worker; NULL-terminated. */
const char *const *svc_devices_hints(const struct svc_devices *devices);

#endif
