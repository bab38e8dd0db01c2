/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */

/*
 * Lets OpenSM tell the sweeper at once that a link or the forwarding tables have changed: a connection to a unix socket for each event, with one line.
 *
 *   link      a switch says that the state of one of its links has changed (trap 128)
 *   routes    switches are being given other forwarding tables; until the next "up" they may contradict one another
 *   up        the subnet is as OpenSM wants it: not after a sweep with errors, nor where another one is due already
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
#define SUFFIX ".sock"
#define BLANKS " \t,;"
#define LINK_STATE_CHANGED 128

struct plugin {
	const struct osm_opensm *osm;
	struct sockaddr_un address;
	/* Whether "routes" was told since all tables were written last: a large subnet has thousands of them. */
	int routes;
};

/* All plugins get the same options: the first word that is the path of a socket is meant. */
static int take_path(char *to, size_t size, const char *options)
{
	while (options && *options) {
		size_t length;

		options += strspn(options, BLANKS);
		length = strcspn(options, BLANKS);
		if (length > strlen(SUFFIX) && *options == '/' && strncmp(options + length - strlen(SUFFIX), SUFFIX, strlen(SUFFIX)) == 0) {
			if (length >= size)
				return 0;
			memcpy(to, options, length);
			to[length] = 0;
			return 1;
		}
		options += length;
	}
	strcpy(to, DEFAULT_SOCKET);
	return 1;
}

static void *create(struct osm_opensm *osm)
{
	struct plugin *plugin = calloc(1, sizeof *plugin);

	if (!plugin)
		return NULL;
	plugin->osm = osm;
	plugin->address.sun_family = AF_UNIX;
	if (!take_path(plugin->address.sun_path, sizeof plugin->address.sun_path, osm->subn.opt.event_plugin_options)) {
		osm_log_v2(&osm->log, OSM_LOG_ERROR, 0,
			   "fabricoperator: the path in event_plugin_options is longer than one of a socket may be: %s\n",
			   osm->subn.opt.event_plugin_options);
		free(plugin);
		return NULL;
	}
	osm_log_v2(&osm->log, OSM_LOG_INFO, 0, "fabricoperator: tells %s\n", plugin->address.sun_path);
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
	case OSM_EVENT_ID_UCAST_ROUTING_DONE:
		/* Of a reroute nothing else says that its tables are written. */
		__atomic_store_n(&plugin->routes, 0, __ATOMIC_RELAXED);
		tell(plugin, "routes\n");
		break;
	case OSM_EVENT_ID_SUBNET_UP:
		__atomic_store_n(&plugin->routes, 0, __ATOMIC_RELAXED);
		tell(plugin, plugin->osm->subn.subnet_initialization_error || plugin->osm->subn.force_heavy_sweep ? "routes\n" : "up\n");
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
