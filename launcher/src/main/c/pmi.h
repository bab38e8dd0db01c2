/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef FABRIC_PMI_H
#define FABRIC_PMI_H

#include "bytes.h"
#include "message.h"

#include <poll.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * PMI-1, which MPICH and its descendants speak: lines of text over a descriptor that each rank inherits. What ranks put is kept here; a
 * barrier is a fence of pmixd's over all pods, with what this pod's ranks have put since the last one.
 *
 * Balaji et al., "PMI: A Scalable Parallel Process-Management Interface for Extreme-Scale Systems", 2010; MPICH, src/pmi/simple.
 */

enum {
    /* A rank finds its connection there; above what scripts use for themselves. */
    PMI_RANK_FD = 100,
    /* Characters that clients are told to use at most; in Java of PmiClients. */
    PMI_NAME_MAX = 256,
    PMI_KEY_MAX = 64,
    PMI_VALUE_MAX = 1024,
    /* Bytes of a published name; a key of PMIx has 511, and pmixd puts a word of six before the escaped name. */
    PMI_SERVICE_MAX = 256,
    PMI_SERVICE_ESCAPED_MAX = 505,
    /* Bytes that a pod's ranks put between two barriers; LauncherLink.PAIRS_CHARACTERS is more. */
    PMI_PUT_BYTES = 2 * 1024 * 1024,
    /* Bytes of memory for the pairs of all pods. */
    PMI_KEPT_BYTES = 64 * 1024 * 1024,
};

/* A rank's connection. */
struct pmi_rank {
    int fd; /* -1: it has ended, or was never open */
    struct bytes incoming;
    struct bytes outgoing;
    bool begun;   /* it has called init, and not finalize */
    bool waiting; /* in a barrier */
    const char *asking; /* the answer that it waits for, of a published name; NULL where it waits for none */
    bool in_mcmd; /* inside a command of several lines */
    bool refused; /* it has asked for another version than 1 */
};

struct pmi {
    uint32_t size; /* of the job; 0: this attempt has none */
    uint32_t app;
    char name[PMI_NAME_MAX + 1];
    uint32_t count;
    struct pmi_rank *ranks; /* NULL until they start */
    uint32_t waiting;       /* ranks in the barrier */
    bool fencing;           /* pmixd has been told of it */
    bool lost;              /* there was no room for a pair of this fence */
    void *pairs;            /* a tree of tsearch */
    size_t kept_bytes;
    struct bytes put; /* lines for pmixd */
};

/* Begins an attempt: of so many ranks, of which those here are of one app, under a name. */
void pmi_begin(struct pmi *pmi, uint32_t size, uint32_t app, const char *name);
/* Gets ready for so many ranks of this pod; false without memory. */
bool pmi_open(struct pmi *pmi, uint32_t count);
/* Makes the connection of one of them. Returns the end that it inherits, to be closed here once it has; -1 and an errno without descriptors. */
int pmi_connect(struct pmi *pmi, uint32_t local_rank);
/* Forgets the attempt. */
void pmi_close(struct pmi *pmi);

/* Takes what pmixd says of it; false where the message is about something else. `waiting`: no rank has been started yet. */
bool pmi_message(struct pmi *pmi, const struct message *message, bool waiting);

/* KEY=value, of any rank of the job. False where it is none, or too much: then the next fence fails. */
bool pmi_keep(struct pmi *pmi, const char *pair);
/* The fence is over; nothing happens where there is none. */
void pmi_fenced(struct pmi *pmi, bool done);
/* What came of a rank's question about a published name: its port, may be empty, or, with `failed`, why not, in one word. Nothing happens where it has asked none. */
void pmi_named(struct pmi *pmi, uint32_t local_rank, bool failed, const char *text);

/*
 * Fills in one entry for each rank, then does what poll said about them; lines for pmixd are added to `told`, each whole or not at all. Ranks are not read while
 * half of what `told` takes is waiting: the rest is for others.
 */
void pmi_prepare(const struct pmi *pmi, struct pollfd *polls, const struct bytes *told);
void pmi_serve(struct pmi *pmi, const struct pollfd *polls, struct bytes *told);
/* What a rank has said before it ended; nobody speaks for it any more. */
void pmi_ended(struct pmi *pmi, uint32_t local_rank, struct bytes *told);

#endif
