/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef FABRIC_SUPERVISE_H
#define FABRIC_SUPERVISE_H

#include "options.h"

/* Runs the ranks of this pod, attempt after attempt, from the first contact with pmixd to the end. Returns the exit code. */
int supervise(const struct options *options, char **environment);

#endif
