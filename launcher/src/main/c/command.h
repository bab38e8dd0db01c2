/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef FABRIC_COMMAND_H
#define FABRIC_COMMAND_H

#include <stddef.h>

/* Exit codes of the launcher's own, as a shell has them; 124 is the one of timeout(1). */
enum { EXIT_LAUNCHER = 125, EXIT_NOT_EXECUTABLE = 126, EXIT_NOT_FOUND = 127 };

/*
 * Finds what execve needs for `command` along `search_path` (the value of PATH; NULL: the usual directories).
 * Returns 0 and the file's path, or EXIT_NOT_FOUND or EXIT_NOT_EXECUTABLE.
 */
int command_find(const char *command, const char *search_path, char *path, size_t size);

#endif
