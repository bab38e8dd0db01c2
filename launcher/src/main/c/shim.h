/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef FABRIC_SHIM_H
#define FABRIC_SHIM_H

#include "options.h"

/*
 * The launcher of an MPIJob: puts this program before the image's own mpirun, in the directory of the options and in PATH, and becomes the
 * command. Returns an exit code where that is mpirun itself, or cannot be executed.
 */
int shim_install(const struct options *options);

/*
 * This program called as mpirun: runs the command in the workers, or becomes the image's own mpirun where it does not understand the arguments.
 * `arguments` begin with the program's name. Returns the exit code.
 */
int shim_run(char **arguments);

#endif
