/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef FABRIC_RUNNING_H
#define FABRIC_RUNNING_H

#include <stdbool.h>

/*
 * Whether ranks run, for the probes of their container, which are processes of their own: a file beside the socket, from the moment that all have
 * been started until they have ended or are asked to. It holds when that was, in milliseconds of the machine's clock that never jumps. Where it cannot be
 * written, nothing is said: probes then take the ranks for not started.
 */
void running_begin(const char *socket_path);
void running_end(const char *socket_path);

/* Whether they run, and have done so for that long. */
bool running_for(const char *socket_path, int seconds);

#endif
