/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef FABRIC_READY_H
#define FABRIC_READY_H

/* Asks pmixd whether it has the map of the job: 0 if so, 1 if not or if there is no answer within a second. */
int ready(const char *socket_path);

#endif
