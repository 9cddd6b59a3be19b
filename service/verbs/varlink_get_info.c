/* org.varlink.service.GetInfo: who serves here, and which interfaces. */
#include "server.h"

static void handle(struct service *service, struct svc_call *call)
{
	(void)service;
	void *unknown = json_object_iter((json_t *)svc_call_parameters(call));
	if (unknown != NULL) {
		svc_call_standard_error(call, "InvalidParameter", "parameter", json_object_iter_key(unknown));
		return;
	}
	svc_call_reply(call,
		       json_pack("{s:s, s:s, s:s, s:s, s:[s, s]}", "vendor", "mmtune", "product", "mmtuned", "version",
				 MMTUNE_VERSION, "url", "", "interfaces", "org.varlink.service", "org.mmtune.Tuner"),
		       false);
}

const struct svc_verb svc_verb_varlink_get_info = {
	.method = "org.varlink.service.GetInfo",
	.handle = handle,
};
