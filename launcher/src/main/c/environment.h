/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef FABRIC_ENVIRONMENT_H
#define FABRIC_ENVIRONMENT_H

#include <stdbool.h>

/* Most bytes of a file of variables. */
enum { ENVIRONMENT_FILE_MAX = 65536 };

/*
 * Variables of a container for those of its processes that do not inherit them: sshd gives its sessions an environment of their own.
 * The file holds NAME=VALUE, each ended by a zero byte. false: errno says why.
 */

/* Writes those of the names, which are separated by commas, that this process has; in one step, so that nobody reads half a file. */
bool environment_keep(const char *path, const char *names);

/* Sets those of the file that this process lacks. */
bool environment_take(const char *path);

#endif
