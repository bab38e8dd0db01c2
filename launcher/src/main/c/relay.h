/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef FABRIC_RELAY_H
#define FABRIC_RELAY_H

#include "bytes.h"

#include <poll.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Of one stream at a time; and beyond so much that waits for pmixd, nothing more is read. */
enum { RELAY_READ_BYTES = 16 * 1024, RELAY_PAUSE_BYTES = 256 * 1024 };

/* What the ranks of a run write, on its way to pmixd: as it comes, the order of each stream kept. */
struct relay {
    int *streams;       /* two for each rank, -1: at its end */
    bool *rank_ended;   /* its streams are read as far as they are filled, and not waited for */
    uint32_t ranks;
    struct bytes *lines; /* to pmixd */
};

/* Takes over the reading ends (non-blocking), two for each rank. false without memory; they are closed then. */
bool relay_open(struct relay *relay, const int *streams, uint32_t ranks, struct bytes *lines);

/* Fills in 2 * ranks entries, then does what poll said about them. */
void relay_prepare(const struct relay *relay, struct pollfd *polls);
void relay_serve(struct relay *relay, const struct pollfd *polls);

void relay_rank_ended(struct relay *relay, uint32_t local_rank);
/* Reads what those that have ended have left, as far as there is room for it. */
void relay_drain(struct relay *relay);

/* Whether all streams are at their end. */
bool relay_finished(const struct relay *relay);

/* Closes what is open still. */
void relay_close(struct relay *relay);

#endif
