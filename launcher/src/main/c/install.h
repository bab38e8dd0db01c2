/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef FABRIC_INSTALL_H
#define FABRIC_INSTALL_H

/* Puts a copy of the running program at `path`, mode 0755; it is there whole or not at all. Returns the exit code. */
int install(const char *path);

#endif
