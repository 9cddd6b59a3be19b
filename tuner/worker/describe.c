/* describe.c: see describe.h. */
#include "describe.h"

#include <CL/cl_ext.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "driver.h"
#include "text.h"

/* NVIDIA's cl_nv_device_attribute_query; the PCI ones are in no header of Khronos, but in NVIDIA's cl_ext.h */
#define NV_COMPUTE_CAPABILITY_MAJOR 0x4000
#define NV_COMPUTE_CAPABILITY_MINOR 0x4001
#define NV_PCI_BUS_ID               0x4008
#define NV_PCI_SLOT_ID              0x4009
#define NV_PCI_DOMAIN_ID            0x400A

#define PCI_FUNCTION_BITS           3 /* a slot number is device << 3 | function (PCI Local Bus Specification 3.0, 3.2.2.3) */
#define LONGEST_STRING              ((size_t)1 << 20)

/* A platform's or a device's string; *out as large as its field. */
static void read_string(cl_platform_id platform, cl_device_id id, cl_uint what, char *out, size_t bytes)
{
	size_t length = 0;
	char *text;
	cl_int status = id != NULL ? clGetDeviceInfo(id, what, 0, NULL, &length)
				   : clGetPlatformInfo(platform, what, 0, NULL, &length);

	out[0] = '\0';
	if (status != CL_SUCCESS || length == 0 || length > LONGEST_STRING)
		return;
	text = calloc(1, length + 1);
	if (text == NULL)
		return;
	status = id != NULL ? clGetDeviceInfo(id, what, length, text, NULL)
			    : clGetPlatformInfo(platform, what, length, text, NULL);
	if (status == CL_SUCCESS)
		kern_text_sanitise(out, bytes, text, strlen(text));
	free(text);
}

/* A fixed-size property; *out is left alone where the driver does not know it. */
static bool read_value(cl_device_id id, cl_device_info what, void *out, size_t bytes)
{
	unsigned char value[sizeof(size_t) * 8];
	size_t length = 0;

	if (bytes > sizeof value || clGetDeviceInfo(id, what, sizeof value, value, &length) != CL_SUCCESS ||
	    length != bytes)
		return false;
	memcpy(out, value, bytes);
	return true;
}

static uint64_t read_size(cl_device_id id, cl_device_info what)
{
	size_t value = 0;

	read_value(id, what, &value, sizeof value);
	return value;
}

static uint64_t read_ulong(cl_device_id id, cl_device_info what)
{
	cl_ulong value = 0;

	read_value(id, what, &value, sizeof value);
	return value;
}

static uint32_t read_uint(cl_device_id id, cl_device_info what)
{
	cl_uint value = 0;

	read_value(id, what, &value, sizeof value);
	return value;
}

static void read_uuid(cl_device_id id, struct kern_device *device)
{
	static const unsigned char none[CL_UUID_SIZE_KHR];
	unsigned char uuid[CL_UUID_SIZE_KHR];
	char *out = device->uuid;

	if (!kern_device_has_extension(device, "cl_khr_device_uuid") ||
	    !read_value(id, CL_DEVICE_UUID_KHR, uuid, sizeof uuid) || memcmp(uuid, none, sizeof none) == 0)
		return;
	for (size_t i = 0; i < sizeof uuid; i++) {
		bool dash = i == 4 || i == 6 || i == 8 || i == 10;

		out += sprintf(out, "%s%02x", dash ? "-" : "", uuid[i]);
	}
}

static void set_pci_address(struct kern_device *device, const cl_uint part[4])
{
	snprintf(device->pci_address, sizeof device->pci_address, "%04x:%02x:%02x.%x", part[0] & 0xffff, part[1] & 0xff,
		 part[2] & 0x1f, part[3] & 0x7);
}

/* domain, bus, device, function: by the first extension that tells. */
static void read_pci_address(cl_device_id id, struct kern_device *device)
{
	cl_uint part[4] = {0};
	cl_uint slot;
	cl_device_topology_amd amd;

	if (kern_device_has_extension(device, "cl_khr_pci_bus_info") &&
	    read_value(id, CL_DEVICE_PCI_BUS_INFO_KHR, part, sizeof part)) {
		set_pci_address(device, part);
	} else if (kern_device_has_extension(device, "cl_nv_device_attribute_query") &&
		   read_value(id, NV_PCI_BUS_ID, &part[1], sizeof part[1]) &&
		   read_value(id, NV_PCI_SLOT_ID, &slot, sizeof slot)) {
		read_value(id, NV_PCI_DOMAIN_ID, &part[0], sizeof part[0]);
		part[2] = slot >> PCI_FUNCTION_BITS;
		part[3] = slot;
		set_pci_address(device, part);
	} else if (kern_device_has_extension(device, "cl_amd_device_attribute_query") &&
		   read_value(id, CL_DEVICE_TOPOLOGY_AMD, &amd, sizeof amd) &&
		   amd.raw.type == CL_DEVICE_TOPOLOGY_TYPE_PCIE_AMD) {
		part[1] = (unsigned char)amd.pcie.bus;
		part[2] = (unsigned char)amd.pcie.device;
		part[3] = (unsigned char)amd.pcie.function;
		set_pci_address(device, part);
	}
}

static void read_identity(cl_platform_id platform, cl_device_id id, struct kern_device *device)
{
	read_string(platform, NULL, CL_PLATFORM_NAME, device->platform, sizeof device->platform);
	read_string(platform, NULL, CL_PLATFORM_VENDOR, device->platform_vendor, sizeof device->platform_vendor);
	read_string(platform, NULL, CL_PLATFORM_VERSION, device->platform_version, sizeof device->platform_version);
	read_string(NULL, id, CL_DEVICE_NAME, device->name, sizeof device->name);
	read_string(NULL, id, CL_DEVICE_VENDOR, device->vendor, sizeof device->vendor);
	read_string(NULL, id, CL_DRIVER_VERSION, device->driver, sizeof device->driver);
	read_string(NULL, id, CL_DEVICE_OPENCL_C_VERSION, device->opencl_c_version, sizeof device->opencl_c_version);
	read_string(NULL, id, CL_DEVICE_EXTENSIONS, device->extensions, sizeof device->extensions);
	read_uuid(id, device);
	read_pci_address(id, device);
}

static void read_limits(cl_device_id id, struct kern_device *device)
{
	size_t item_sizes[3] = {0};

	device->global_memory_bytes = read_ulong(id, CL_DEVICE_GLOBAL_MEM_SIZE);
	device->max_allocation_bytes = read_ulong(id, CL_DEVICE_MAX_MEM_ALLOC_SIZE);
	device->local_memory_bytes = read_ulong(id, CL_DEVICE_LOCAL_MEM_SIZE);
	device->global_cache_bytes = read_ulong(id, CL_DEVICE_GLOBAL_MEM_CACHE_SIZE);
	device->max_work_group_size = read_size(id, CL_DEVICE_MAX_WORK_GROUP_SIZE);
	read_value(id, CL_DEVICE_MAX_WORK_ITEM_SIZES, item_sizes, sizeof item_sizes);
	for (int i = 0; i < 3; i++)
		device->max_work_item_sizes[i] = item_sizes[i];
	device->compute_units = read_uint(id, CL_DEVICE_MAX_COMPUTE_UNITS);
	device->clock_mhz = read_uint(id, CL_DEVICE_MAX_CLOCK_FREQUENCY);
	device->address_bits = read_uint(id, CL_DEVICE_ADDRESS_BITS);
	device->timer_resolution_ns = (uint32_t)read_size(id, CL_DEVICE_PROFILING_TIMER_RESOLUTION);
	device->preferred_vector_float = read_uint(id, CL_DEVICE_PREFERRED_VECTOR_WIDTH_FLOAT);
	device->preferred_vector_double = read_uint(id, CL_DEVICE_PREFERRED_VECTOR_WIDTH_DOUBLE);
	device->local_memory_is_dedicated = read_uint(id, CL_DEVICE_LOCAL_MEM_TYPE) == CL_LOCAL;
}

static void read_abilities(cl_device_id id, struct kern_device *device)
{
	/* An extension's name without its arithmetic, or the other way round, is a false claim */
	device->fp64 =
		kern_device_has_extension(device, "cl_khr_fp64") && read_ulong(id, CL_DEVICE_DOUBLE_FP_CONFIG) != 0;
	device->fp16 =
		kern_device_has_extension(device, "cl_khr_fp16") && read_ulong(id, CL_DEVICE_HALF_FP_CONFIG) != 0;
	device->images = read_uint(id, CL_DEVICE_IMAGE_SUPPORT) != CL_FALSE;
	if (device->images) {
		device->image2d_max_width = read_size(id, CL_DEVICE_IMAGE2D_MAX_WIDTH);
		device->image2d_max_height = read_size(id, CL_DEVICE_IMAGE2D_MAX_HEIGHT);
	}
	device->sub_groups = kern_device_has_extension(device, "cl_khr_subgroups") ||
			     kern_device_has_extension(device, "cl_intel_subgroups") ||
			     read_uint(id, CL_DEVICE_MAX_NUM_SUB_GROUPS) > 0;
	if (kern_device_has_extension(device, "cl_nv_device_attribute_query"))
		device->compute_capability = 100 * read_uint(id, NV_COMPUTE_CAPABILITY_MAJOR) +
					     10 * read_uint(id, NV_COMPUTE_CAPABILITY_MINOR);
}

int worker_describe(cl_platform_id platform, cl_device_id id, struct kern_device *device, struct mmt_error *error)
{
	cl_device_type type = 0;
	cl_int status = clGetDeviceInfo(id, CL_DEVICE_TYPE, sizeof type, &type, NULL);

	memset(device, 0, sizeof *device);
	if (status != CL_SUCCESS)
		return worker_cl_error(error, status, "clGetDeviceInfo of the type");
	if (type & CL_DEVICE_TYPE_GPU)
		device->type = KERN_GPU;
	else if (type & CL_DEVICE_TYPE_CPU)
		device->type = KERN_CPU;
	else if (type & CL_DEVICE_TYPE_ACCELERATOR)
		device->type = KERN_ACCELERATOR;
	else
		return mmt_error_set(error, MMT_NOT_SUPPORTED, 0, "the device is of a custom type, without OpenCL C");
	read_identity(platform, id, device);
	if (device->name[0] == '\0')
		return mmt_error_set(error, MMT_OPENCL, 0, "the driver tells no name of the device");
	read_limits(id, device);
	read_abilities(id, device);
	return 0;
}
