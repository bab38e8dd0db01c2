/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef FABRIC_SERVE_H
#define FABRIC_SERVE_H

#include "options.h"

/*
 * A worker of an MPIJob: runs the container's own command, an SSH server, and beside it the ranks of one run of mpirun after the other, as pmixd
 * tells them. No run's end ends the worker. Returns the command's exit code.
 */
int serve_runs(const struct options *options, char **environment);

#endif
