/* device.h: what an OpenCL device says of itself: its identity and its limits.
 *
 * Written by the worker that enumerates, kept by the service, read by plans.
 * Every limit was asked from the driver; none is assumed.
 *
 * Thread: plain data. */
#ifndef MMT_KERNELS_DEVICE_H
#define MMT_KERNELS_DEVICE_H

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

#include "mmtune/error.h"
#include "text.h" /* kern_text_sanitise, for the strings below */

enum kern_device_type { KERN_CPU, KERN_GPU, KERN_ACCELERATOR, KERN_DEVICE_TYPES };

#define KERN_NAME_BYTES 512 /* any driver string, cut at a UTF-8 boundary */

struct kern_device {
	enum kern_device_type type;
	/* Identity. Strings are valid UTF-8; bytes that were not are escaped \xNN. */
	char platform[KERN_NAME_BYTES], platform_vendor[KERN_NAME_BYTES];
	char name[KERN_NAME_BYTES], vendor[KERN_NAME_BYTES];
	char uuid[40];        /* 8-4-4-4-12 hex; "" where the driver does not tell */
	char pci_address[16]; /* 0000:3b:00.0, or "" */
	unsigned ordinal;     /* among devices that agree in all of the above, in the driver's order */
	char fingerprint[65]; /* SHA-256, hex, of the identity (no driver version): names bind to it */
	char driver[KERN_NAME_BYTES], platform_version[KERN_NAME_BYTES]; /* records go stale with these */
	char opencl_c_version[KERN_NAME_BYTES];
	/* Limits */
	uint64_t global_memory_bytes, max_allocation_bytes, local_memory_bytes, global_cache_bytes;
	uint64_t max_work_group_size, max_work_item_sizes[3];
	uint64_t image2d_max_width, image2d_max_height; /* pixels; 0 without images */
	uint32_t compute_units, clock_mhz, address_bits, timer_resolution_ns;
	uint32_t preferred_vector_float, preferred_vector_double;
	uint32_t compute_capability; /* NVIDIA: 100 * major + 10 * minor, else 0 */
	bool fp64, fp16, images, sub_groups, local_memory_is_dedicated;
	char extensions[4096];
};

const char *kern_device_type_name(enum kern_device_type type); /* "cpu", "gpu", "acc" */
bool kern_device_has_extension(const struct kern_device *device, const char *extension);

/* Fills device->fingerprint from the identity and the ordinal. Identity is the
 * platform's vendor, the device's vendor and type, and its UUID, else its PCI
 * address, else its name without a trailing version; so a name that gains a
 * driver's version stays bound, and the same card seen through two platforms is two devices. */
void kern_device_fingerprint(struct kern_device *device);

/* Gives the devices of one enumeration, in the driver's order, their ordinals
 * and fingerprints: those of the same identity are numbered from 0. */
void kern_devices_identify(struct kern_device *devices, size_t count);

/* All fields, keys as the struct's names; caller owns the reference; NULL: memory.
 * Reading needs type, name and fingerprint (MMT_PROTOCOL); other absent keys are
 * 0, so that a device stored by an older version still reads. */
json_t *kern_device_to_json(const struct kern_device *device);
int kern_device_from_json(const json_t *object, struct kern_device *out, struct mmt_error *error);

#endif
