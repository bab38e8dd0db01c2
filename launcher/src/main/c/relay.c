/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "relay.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

bool relay_open(struct relay *relay, const int *streams, uint32_t ranks, struct bytes *lines) {
    size_t count = 2 * (size_t)ranks;
    *relay = (struct relay){.streams = calloc(count + 1, sizeof *relay->streams), .rank_ended = calloc((size_t)ranks + 1, sizeof *relay->rank_ended), .ranks = ranks, .lines = lines};
    if (relay->streams == NULL || relay->rank_ended == NULL) {
        for (size_t i = 0; i < count; i++) close(streams[i]);
        relay->ranks = 0;
        relay_close(relay);
        return false;
    }
    memcpy(relay->streams, streams, count * sizeof *streams);
    return true;
}

static bool paused(const struct relay *relay) { return bytes_length(relay->lines) >= RELAY_PAUSE_BYTES; }

void relay_prepare(const struct relay *relay, struct pollfd *polls) {
    for (size_t i = 0; i < 2 * (size_t)relay->ranks; i++) {
        polls[i] = (struct pollfd){.fd = paused(relay) ? -1 : relay->streams[i], .events = POLLIN};
    }
}

static void end_stream(struct relay *relay, size_t i) {
    close(relay->streams[i]);
    relay->streams[i] = -1;
    if (relay->streams[i ^ 1] < 0) (void)bytes_format(relay->lines, "output-end %zu\n", i / 2);
}

/* Reads once; true if there may be more. */
static bool read_stream(struct relay *relay, size_t i) {
    static char buffer[RELAY_READ_BYTES];
    ssize_t n = read(relay->streams[i], buffer, sizeof buffer);
    if (n > 0) {
        /* Never beyond the limit of the lines: one that is paused reads nothing. */
        (void)(bytes_format(relay->lines, "output %zu %zu ", i / 2, i % 2 + 1) && bytes_append_escaped(relay->lines, buffer, (size_t)n) && bytes_append_text(relay->lines, "\n"));
        return true;
    }
    if (n < 0 && errno == EINTR) return true;
    bool empty = n < 0 && (errno == EAGAIN || errno == EWOULDBLOCK);
    if (!empty || relay->rank_ended[i / 2]) end_stream(relay, i);
    return false;
}

void relay_serve(struct relay *relay, const struct pollfd *polls) {
    for (size_t i = 0; i < 2 * (size_t)relay->ranks; i++) {
        if (relay->streams[i] >= 0 && polls[i].revents != 0 && !paused(relay)) read_stream(relay, i);
    }
}

void relay_drain(struct relay *relay) {
    for (size_t i = 0; i < 2 * (size_t)relay->ranks; i++) {
        while (relay->rank_ended[i / 2] && relay->streams[i] >= 0 && !paused(relay) && read_stream(relay, i)) continue;
    }
}

void relay_rank_ended(struct relay *relay, uint32_t local_rank) {
    if (local_rank < relay->ranks) relay->rank_ended[local_rank] = true;
}

bool relay_finished(const struct relay *relay) {
    for (size_t i = 0; i < 2 * (size_t)relay->ranks; i++) {
        if (relay->streams[i] >= 0) return false;
    }
    return true;
}

void relay_close(struct relay *relay) {
    for (size_t i = 0; i < 2 * (size_t)relay->ranks; i++) {
        if (relay->streams[i] >= 0) close(relay->streams[i]);
    }
    free(relay->streams);
    free(relay->rank_ended);
    memset(relay, 0, sizeof *relay);
}
