/* peer.h: who is at the other end of a connection, and what that allows.
 *
 * The kernel says it (SO_PEERCRED, SO_PEERGROUPS): the peer's user and groups
 * when it connected. Asked at most once a connection.
 *
 * Thread: the loop's. */
#ifndef MMT_SERVICE_PEER_H
#define MMT_SERVICE_PEER_H

#include <stdbool.h>
#include <sys/types.h>

struct svc_peer {
	uid_t user; /* (uid_t)-1: the kernel did not tell */
	gid_t group;
	bool judged, admin;
};

void svc_peer_init(struct svc_peer *peer, int descriptor);
/* Root, the service's own user, or in the group of that name ("": no group). */
bool svc_peer_is_admin(struct svc_peer *peer, int descriptor, const char *admin_group);

#endif
