/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "signals.h"

#include <sys/signalfd.h>

int signals_open(const int *numbers, size_t count, sigset_t *before) {
    sigset_t mask;
    sigemptyset(&mask);
    sigaddset(&mask, SIGCHLD);
    for (size_t i = 0; i < count; i++) sigaddset(&mask, numbers[i]);
    sigset_t blocked = mask;
    /* Whoever reads our output may go. Blocked, not ignored: ranks inherit what is ignored. */
    sigaddset(&blocked, SIGPIPE);
    signal(SIGCHLD, SIG_DFL);
    if (sigprocmask(SIG_BLOCK, &blocked, before) != 0) return -1;
    return signalfd(-1, &mask, SFD_CLOEXEC | SFD_NONBLOCK);
}

bool signal_asks_for_end(int number) { return number == SIGTERM || number == SIGINT || number == SIGQUIT || number == SIGHUP; }
