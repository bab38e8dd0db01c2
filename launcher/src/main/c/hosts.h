/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef FABRIC_HOSTS_H
#define FABRIC_HOSTS_H

#include <stdbool.h>
#include <stddef.h>

enum { HOSTS_MAX = 16384, HOST_NAME_SIZE = 256 };

/*
 * The name of the host of one line of a hostfile, as Open MPI ("host slots=4"), Intel MPI and MPICH ("host:4") have it; false for a
 * comment, an empty line and a name that is too long.
 */
bool host_of_line(const char *line, char *name, size_t size);

/*
 * The whole name of a pod or Service "NAME.svc", with a dot at its end: the cluster's domain is what follows "svc." in the search list of
 * the resolver's settings (resolv.conf). A resolver that gets the short name asks for it in all domains of the list, and at last outside
 * of the cluster, where nobody may answer: 5 s for each try. Any other name stays as it is. false if it does not fit.
 */
bool host_lookup_name(const char *name, const char *settings, char *whole, size_t size);

/*
 * Waits until each host of a hostfile has an address and an SSH server that greets, so that nothing is started that would fail at the
 * first worker that is late. This host itself does not count. The port is that of the ssh program's configuration.
 * Returns 0, or an exit code after a sentence to standard error: 124 after the time-out.
 */
int hosts_await(const char *hostfile, int timeout_seconds);

/* Of the variables by which MPI libraries find their hostfile, those that name `from` name `to` from now on. */
bool hosts_rename_file(const char *from, const char *to);

#endif
