/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef FABRIC_SIGNALS_H
#define FABRIC_SIGNALS_H

#include <signal.h>
#include <stdbool.h>
#include <stddef.h>

/*
 * Signals are read from a descriptor, so that they come one at a time and only where they are expected: SIGCHLD and those of `numbers`. -1: errno
 * says why. `before` gets the mask that was.
 */
int signals_open(const int *numbers, size_t count, sigset_t *before);

/* Whether one asks for the end. */
bool signal_asks_for_end(int number);

#endif
