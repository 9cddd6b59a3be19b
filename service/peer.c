/* peer.c: see peer.h. */
#include "peer.h"

#include <grp.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

#define GROUP_ENTRY_BYTES ((size_t)64 << 10) /* a group's entry lists its members */

void svc_peer_init(struct svc_peer *peer, int descriptor)
{
	struct ucred credentials;
	socklen_t length = sizeof credentials;
	*peer = (struct svc_peer){.user = (uid_t)-1, .group = (gid_t)-1};
	if (getsockopt(descriptor, SOL_SOCKET, SO_PEERCRED, &credentials, &length) == 0) {
		peer->user = credentials.uid;
		peer->group = credentials.gid;
	}
}

static bool group_by_name(const char *name, gid_t *out)
{
	char *buffer = malloc(GROUP_ENTRY_BYTES);
	struct group entry, *found = NULL;
	bool ok = buffer != NULL && getgrnam_r(name, &entry, buffer, GROUP_ENTRY_BYTES, &found) == 0 && found != NULL;
	if (ok)
		*out = entry.gr_gid;
	free(buffer);
	return ok;
}

static bool has_group(const struct svc_peer *peer, int descriptor, gid_t group)
{
	if (peer->group == group)
		return true;
	socklen_t length = 0; /* the kernel says how much it needs */
	getsockopt(descriptor, SOL_SOCKET, SO_PEERGROUPS, NULL, &length);
	gid_t *groups = length > 0 ? malloc(length) : NULL;
	bool found = false;
	if (groups != NULL && getsockopt(descriptor, SOL_SOCKET, SO_PEERGROUPS, groups, &length) == 0)
		for (size_t i = 0; i < length / sizeof *groups; i++)
			found = found || groups[i] == group;
	free(groups);
	return found;
}

static bool judge(const struct svc_peer *peer, int descriptor, const char *admin_group)
{
	if (peer->user == (uid_t)-1)
		return false;
	if (peer->user == 0 || peer->user == geteuid())
		return true;
	gid_t group;
	return admin_group[0] != '\0' && group_by_name(admin_group, &group) && has_group(peer, descriptor, group);
}

bool svc_peer_is_admin(struct svc_peer *peer, int descriptor, const char *admin_group)
{
	if (!peer->judged) {
		peer->admin = judge(peer, descriptor, admin_group);
		peer->judged = true;
	}
	return peer->admin;
}
