/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */

/*
 * Lets OpenSM tell the sweeper at once that a link or the forwarding tables have changed: a connection to a unix socket for each event, with one line.
 *
 *   link      a switch says that the state of one of its links has changed (trap 128)
 *   routes    switches are being given other forwarding tables; until the next "up" they may contradict one another
 *   up        the subnet is as OpenSM wants it
 *
 * Nothing here waits, and nothing is kept: OpenSM goes on as if this was not there where nobody listens, or where the listener does not keep up.
 */
#include <infiniband/opensm/osm_config.h>
#include <infiniband/opensm/osm_opensm.h>
#include <infiniband/opensm/osm_version.h>
#include <infiniband/opensm/osm_event_plugin.h>

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#define DEFAULT_SOCKET "/run/fabric-operator/opensm.sock"
#define LINK_STATE_CHANGED 128

struct plugin {
	struct sockaddr_un address;
	/* Whether "routes" was told since the last "up": a large subnet has thousands of tables. */
	int routes;
};

static void *create(struct osm_opensm *osm)
{
	const char *path = osm->subn.opt.event_plugin_options;
	struct plugin *plugin = calloc(1, sizeof *plugin);

	if (!plugin)
		return NULL;
	if (!path || !*path || strcmp(path, "(null)") == 0)
		path = DEFAULT_SOCKET;
	if (strlen(path) >= sizeof plugin->address.sun_path) {
		osm_log_v2(&osm->log, OSM_LOG_ERROR, 0,
			   "fabricoperator: event_plugin_options is longer than a path of a socket may be: %s\n", path);
		free(plugin);
		return NULL;
	}
	plugin->address.sun_family = AF_UNIX;
	strcpy(plugin->address.sun_path, path);
	return plugin;
}

static void destroy(void *data)
{
	free(data);
}

static void tell(const struct plugin *plugin, const char *line)
{
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);

	if (fd < 0)
		return;
	if (connect(fd, (const struct sockaddr *)&plugin->address, sizeof plugin->address) == 0)
		(void)send(fd, line, strlen(line), MSG_NOSIGNAL);
	close(fd);
}

static void report(void *data, osm_epi_event_id_t event, void *detail)
{
	struct plugin *plugin = data;
	const ib_mad_notice_attr_t *notice = detail;

	switch (event) {
	case OSM_EVENT_ID_TRAP:
		if (ib_notice_is_generic(notice) && cl_ntoh16(notice->g_or_v.generic.trap_num) == LINK_STATE_CHANGED)
			tell(plugin, "link\n");
		break;
	case OSM_EVENT_ID_LFT_CHANGE:
		/* Two threads may both find that it was not told: the sweeper does not mind. */
		if (!__atomic_exchange_n(&plugin->routes, 1, __ATOMIC_RELAXED))
			tell(plugin, "routes\n");
		break;
	case OSM_EVENT_ID_SUBNET_UP:
		__atomic_store_n(&plugin->routes, 0, __ATOMIC_RELAXED);
		tell(plugin, "up\n");
		break;
	default:
		break;
	}
}

/* OpenSM looks for this name, and refuses what was built for another version of it. */
osm_event_plugin_t osm_event_plugin = {
	.osm_version = OSM_VERSION,
	.create = create,
	.delete = destroy,
	.report = report,
};
