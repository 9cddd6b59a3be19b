/* plan_limits.c: see plan_limits.h. */
#include "plan_limits.h"

#include <inttypes.h>
#include <stdio.h>

#include "registry.h"

/* NVIDIA's OpenCL reports 48 KiB of local memory and takes static arrays of up to what CUDA lets a block opt in to:
 * 227 KiB on compute capability 9.0 (CUDA C Programming Guide, table "Technical Specifications per Compute
 * Capability"). 228,000 bytes built and ran on an H200 that reports 49,152; a refusal by the driver is data. */
#define NVIDIA_LOCAL_BYTES ((uint64_t)227 * 1024)

/* On a CPU, private arrays lie on the stack of a driver's thread, and PoCL keeps those of a whole work-group there at
 * once, with or without barriers. Such a thread has what `ulimit -s` says, 8 MiB as a rule, but 2 MiB under `ulimit -s
 * unlimited` (glibc, ARCH_STACK_DEFAULT_SIZE). Measured with PoCL 3.1: 7.9 MiB for one work-item ran, 1.85 MiB under
 * unlimited did; 8.1 MiB, and 2.05 MiB under unlimited, ended the process with a segmentation fault. */
#define CPU_PRIVATE_BYTES ((uint64_t)3 << 19)

/* On a GPU the driver sets private arrays aside for every resident work-item: 64 KiB for 2,048 on each of 132 compute
 * units (H200) are already 17 GB. */
#define GPU_PRIVATE_BYTES ((uint64_t)64 << 10)

static int check_type(const struct mmt_problem *problem, const struct kern_family *family,
		      const struct kern_device *device, struct mmt_error *error)
{
	if (problem->type == MMT_F64 && !device->fp64)
		return mmt_error_set(error, MMT_NOT_SUPPORTED, 0, "%.200s has no fp64", device->name);
	if (problem->type == MMT_F16 && !device->fp16 && !family->stores_half)
		return mmt_error_set(error, MMT_NOT_SUPPORTED, 0, "%.200s has no fp16", device->name);
	return 0;
}

/* "a, b and c" */
static void list_names(const struct kern_buffer *buffers, size_t count, char *out, size_t bytes)
{
	size_t used = 0;
	out[0] = '\0';
	for (size_t i = 0; i < count && used < bytes; i++) {
		const char *separator = i == 0 ? "" : i + 1 == count ? " and " : ", ";
		used += (size_t)snprintf(out + used, bytes - used, "%s%s", separator, buffers[i].name);
	}
}

static int too_large(double needed, const char *what, uint64_t there, const char *there_is, struct mmt_error *error)
{
	char needed_text[KERN_BYTES_TEXT], there_text[KERN_BYTES_TEXT];
	kern_text_bytes(needed, needed_text);
	kern_text_bytes((double)there, there_text);
	return mmt_error_set(error, MMT_TOO_LARGE, 0, "needs %s for %s; %s %s", needed_text, what, there_is,
			     there_text);
}

int kern_problem_fits(const struct mmt_problem *problem, const struct kern_device *device, struct mmt_error *error)
{
	static const char has[] = "the device has";
	char names[128];
	struct kern_buffer buffers[KERN_MAX_BUFFERS];
	const struct kern_family *family = kern_family_find(problem->family);
	if (!family)
		return mmt_error_set(error, MMT_INVALID_ARGUMENT, 0, "there is no family '%s'", problem->family);
	if (family->check(problem, error) || check_type(problem, family, device, error))
		return -1;
	size_t count = family->buffers(problem, buffers);
	list_names(buffers, count, names, sizeof(names));
	/* In double first: three matrices of order INT32_MAX pass 2^64 bytes, and a sum of uint64_t would wrap. */
	double compulsory = family->compulsory_bytes(problem);
	if (compulsory > (double)device->global_memory_bytes)
		return too_large(compulsory, names, device->global_memory_bytes, has, error);
	uint64_t sum = 0;
	for (size_t i = 0; i < count; i++) {
		if (buffers[i].bytes > device->max_allocation_bytes)
			return too_large((double)buffers[i].bytes, buffers[i].name, device->max_allocation_bytes,
					 "one allocation may have", error);
		if (__builtin_add_overflow(sum, buffers[i].bytes, &sum))
			sum = UINT64_MAX;
	}
	if (sum > device->global_memory_bytes)
		return too_large((double)sum, names, device->global_memory_bytes, has, error);
	return 0;
}

uint64_t kern_problem_bytes(const struct mmt_problem *problem)
{
	struct kern_buffer buffers[KERN_MAX_BUFFERS];
	size_t count = kern_family_find(problem->family)->buffers(problem, buffers);
	uint64_t sum = 0;
	for (size_t i = 0; i < count; i++)
		sum += buffers[i].bytes;
	return sum;
}

int kern_limits_temporaries(const struct kern_device *device, const struct mmt_problem *problem,
			    const struct kern_plan *plan, struct mmt_error *error)
{
	uint64_t sum = kern_problem_bytes(problem);
	for (size_t i = 0; i < plan->n_temporaries; i++) {
		if (plan->temporaries[i].bytes > device->max_allocation_bytes)
			return too_large((double)plan->temporaries[i].bytes, plan->temporaries[i].name,
					 device->max_allocation_bytes, "one allocation may have", error);
		if (__builtin_add_overflow(sum, plan->temporaries[i].bytes, &sum))
			sum = UINT64_MAX;
	}
	if (sum > device->global_memory_bytes)
		return too_large((double)sum, "all buffers and temporaries", device->global_memory_bytes,
				 "the device has", error);
	return 0;
}

int kern_limits_image(const struct kern_device *device, const char *name, uint64_t width, uint64_t height,
		      struct mmt_error *error)
{
	const bool wide = width > device->image2d_max_width;
	if (!device->images)
		return mmt_error_set(error, MMT_NOT_SUPPORTED, 0, "needs an image for %s, %.200s has none", name,
				     device->name);
	if (!wide && height <= device->image2d_max_height)
		return 0;
	return mmt_error_set(error, MMT_SKIPPED, 0,
			     "needs an image of %" PRIu64 " x %" PRIu64 " pixels for %s, the device allows %s %" PRIu64
			     " (%s)",
			     width, height, name, wide ? "a width of" : "a height of",
			     wide ? device->image2d_max_width : device->image2d_max_height,
			     wide ? "image2d_max_width" : "image2d_max_height");
}

int kern_limits_on_chip(const struct kern_device *device, uint64_t local_bytes, uint64_t private_bytes,
			struct mmt_error *error)
{
	uint64_t local_limit = device->local_memory_bytes;
	uint64_t private_limit = device->type == KERN_CPU ? CPU_PRIVATE_BYTES : GPU_PRIVATE_BYTES;
	if (device->compute_capability != 0 && local_limit < NVIDIA_LOCAL_BYTES)
		local_limit = NVIDIA_LOCAL_BYTES;
	if (local_bytes > local_limit)
		return mmt_error_set(error, MMT_SKIPPED, 0,
				     "needs %" PRIu64 " bytes of local memory, the device allows %" PRIu64
				     " (local_memory_bytes)",
				     local_bytes, local_limit);
	if (private_bytes > private_limit)
		return mmt_error_set(error, MMT_SKIPPED, 0,
				     "needs %" PRIu64 " bytes of private memory a work-item, a %s is given %" PRIu64
				     " (private_memory_bytes)",
				     private_bytes, kern_device_type_name(device->type), private_limit);
	return 0;
}

/* Product of the sizes, UINT64_MAX where it would be more. */
static uint64_t product(const size_t sizes[3], unsigned dimensions)
{
	uint64_t result = 1;
	for (unsigned i = 0; i < dimensions; i++)
		if (__builtin_mul_overflow(result, (uint64_t)sizes[i], &result))
			return UINT64_MAX;
	return result;
}

static int check_group_private(const struct kern_device *device, uint64_t items, uint64_t private_bytes,
			       struct mmt_error *error)
{
	uint64_t bytes;
	if (__builtin_mul_overflow(items, private_bytes, &bytes))
		bytes = UINT64_MAX;
	if (device->type != KERN_CPU || bytes <= CPU_PRIVATE_BYTES)
		return 0;
	return mmt_error_set(error, MMT_SKIPPED, 0,
			     "needs %" PRIu64 " bytes of private memory a work-group, a cpu is given %" PRIu64
			     " (private_memory_bytes)",
			     bytes, CPU_PRIVATE_BYTES);
}

static int check_work_group(const struct kern_device *device, const struct kern_launch *launch, struct mmt_error *error)
{
	uint64_t items = product(launch->local, launch->dimensions);
	for (unsigned i = 0; i < launch->dimensions; i++) {
		if (launch->local[i] > device->max_work_item_sizes[i])
			return mmt_error_set(error, MMT_SKIPPED, 0,
					     "needs a work-group of %zu in dimension %u, the device allows %" PRIu64
					     " (max_work_item_sizes)",
					     launch->local[i], i, device->max_work_item_sizes[i]);
		if (launch->global[i] % launch->local[i] != 0)
			return mmt_error_set(error, MMT_INVALID_ARGUMENT, 0,
					     "%s: global size %zu is not a multiple of local size %zu in dimension %u",
					     launch->entry, launch->global[i], launch->local[i], i);
	}
	if (items > device->max_work_group_size)
		return mmt_error_set(error, MMT_SKIPPED, 0,
				     "needs a work-group of %" PRIu64 ", the device allows %" PRIu64
				     " (max_work_group_size)",
				     items, device->max_work_group_size);
	return 0;
}

int kern_limits_sizes(const struct kern_device *device, const struct kern_launch *launch, uint64_t private_bytes,
		      struct mmt_error *error)
{
	uint64_t items = product(launch->global, launch->dimensions);
	if (items == UINT64_MAX || (device->address_bits < 64 && items >> device->address_bits != 0))
		return mmt_error_set(
			error, MMT_SKIPPED, 0,
			"%s: a global size of %s%" PRIu64 " does not fit the device's %u bits (address_bits)",
			launch->entry, items == UINT64_MAX ? "at least " : "", items, device->address_bits);
	if (launch->local[0] == 0)
		return 0;
	if (check_work_group(device, launch, error))
		return -1;
	return check_group_private(device, product(launch->local, launch->dimensions), private_bytes, error);
}
