/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef FABRIC_RANKS_H
#define FABRIC_RANKS_H

#include "bind.h"
#include "block.h"
#include "pmi.h"

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/resource.h>
#include <sys/types.h>

struct rank {
    pid_t pid;
    bool running;
};

/* The ranks of this pod: processes, each with a process group of its own unless a terminal is read. */
struct ranks {
    uint32_t count;
    uint32_t running;
    struct rank *all;
    bool grouped;
};

/* What a rank gets besides its environment. */
struct launch {
    char *const *command;     /* its arguments, NULL at the end */
    char *const *environment; /* of the container */
    const char *directory;    /* NULL: this one; "-" before it: unless it is not there */
    struct pmi *pmi;          /* gives each its connection, as PMI_RANK_FD, where pmixd has told of it */
    const struct rlimit *descriptors; /* how many it may have; NULL: as many as this process */
    const int *input;         /* what rank 0 reads; NULL: the container's */
    sigset_t mask;            /* signals that are blocked in it */
    bool piped;               /* its output goes through this process */
    const struct binding *binding; /* NULL: none is bound */
    bool beside_server;       /* pmixd shares this container's memory */
};

/*
 * Starts all of them, and adds to `block` by which variable they find PMI. With `piped`, outputs[2 * rank] and [2 * rank + 1] get the reading ends of its two streams.
 * Returns NULL, or a sentence; what was started by then runs on.
 */
const char *ranks_start(struct ranks *ranks, struct block *block, const struct launch *launch, int *outputs);

/* Takes as many descriptors as this process may have, of which each rank needs three here: the soft limit may be for programs that use select. `given`: what it was. */
void ranks_raise_descriptors(struct rlimit *given);

void ranks_signal(const struct ranks *ranks, int signal);

/* How a process ended. */
struct ending {
    pid_t pid;
    int local_rank; /* -1: pmixd, or some other process that has become ours */
    int code;
    int signal;     /* 0, or the one that ended it */
};

/* Reaps one process if there is one; false if none has ended. With `whole_groups` the rest of its group is killed first. */
bool ranks_reap(struct ranks *ranks, bool whole_groups, struct ending *ending);

#endif
