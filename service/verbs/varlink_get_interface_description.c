/* org.varlink.service.GetInterfaceDescription: the text of an interface, ours
 * from the very file that is installed. */
#include <string.h>

#include "embedded.h"
#include "server.h"

#define DESCRIPTION_SUFFIX ".varlink"

extern const struct mmt_embedded client_interfaces[]; /* generated from client/org.mmtune.Tuner.varlink */

/* https://varlink.org/Service */
static const char service_interface[] = "# The Varlink Service Interface is provided by every varlink service. It\n"
					"# describes the service and the interfaces it implements.\n"
					"interface org.varlink.service\n"
					"\n"
					"# Get a list of all the interfaces a service provides and information\n"
					"# about the implementation.\n"
					"method GetInfo() -> (\n"
					"  vendor: string,\n"
					"  product: string,\n"
					"  version: string,\n"
					"  url: string,\n"
					"  interfaces: []string\n"
					")\n"
					"\n"
					"# Get the description of an interface that is implemented by this service.\n"
					"method GetInterfaceDescription(interface: string) -> (description: string)\n"
					"\n"
					"# The requested interface was not found.\n"
					"error InterfaceNotFound (interface: string)\n"
					"\n"
					"# The requested method was not found\n"
					"error MethodNotFound (method: string)\n"
					"\n"
					"# The interface defines the requested method, but the service does not\n"
					"# implement it.\n"
					"error MethodNotImplemented (method: string)\n"
					"\n"
					"# One of the passed parameters is invalid.\n"
					"error InvalidParameter (parameter: string)\n";

static const char *find_description(const char *interface)
{
	if (strcmp(interface, "org.varlink.service") == 0)
		return service_interface;
	size_t length = strlen(interface);
	for (const struct mmt_embedded *file = client_interfaces; file->path != NULL; file++)
		if (strncmp(file->path, interface, length) == 0 && strcmp(file->path + length, DESCRIPTION_SUFFIX) == 0)
			return file->content;
	return NULL;
}

static void handle(struct service *service, struct svc_call *call)
{
	(void)service;
	const char *interface = NULL, *key;
	json_t *value;
	json_object_foreach ((json_t *)svc_call_parameters(call), key, value) {
		if (strcmp(key, "interface") != 0 || !json_is_string(value)) {
			svc_call_standard_error(call, "InvalidParameter", "parameter", key);
			return;
		}
		interface = json_string_value(value);
	}
	const char *description = interface != NULL ? find_description(interface) : NULL;
	if (interface == NULL)
		svc_call_standard_error(call, "InvalidParameter", "parameter", "interface");
	else if (description == NULL)
		svc_call_standard_error(call, "InterfaceNotFound", "interface", interface);
	else
		svc_call_reply(call, json_pack("{s:s}", "description", description), false);
}

const struct svc_verb svc_verb_varlink_get_interface_description = {
	.method = "org.varlink.service.GetInterfaceDescription",
	.handle = handle,
};
