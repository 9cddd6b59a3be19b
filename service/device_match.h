/* device_match.h: which known device is it that a driver reports?
 *
 * A fingerprint seen before settles it. Else the driver has renamed the device
 * (a version in its name, a platform renamed): it is the one absent device of
 * the same type and vendor at the same UUID or PCI address, or, where neither
 * tells, of the same name but for versions, and the same ordinal. When two
 * would do, neither does: two devices never share a name.
 *
 * Thread: pure functions. */
#ifndef MMT_SERVICE_DEVICE_MATCH_H
#define MMT_SERVICE_DEVICE_MATCH_H

#include <stdbool.h>
#include <stddef.h>

#include "device.h"

#define DEVICE_NO_MATCH SIZE_MAX

/* For each of the reported devices, the index of the known one that it is, or DEVICE_NO_MATCH.
 * Every known device is matched at most once. */
void device_match(const struct kern_device *const *known, size_t n_known, const struct kern_device *reported,
		  size_t n_reported, size_t *out);

/* Lower case, (R) and (TM) dropped, cut before a parenthesis or a version. Returns out. */
const char *device_plain_name(const char *name, char out[KERN_NAME_BYTES]);

#endif
