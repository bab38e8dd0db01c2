/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef FABRIC_LINK_H
#define FABRIC_LINK_H

#include "bytes.h"

#include <stdbool.h>

/* The connection to pmixd: lines in both directions over a unix stream socket that never blocks. */
struct link {
    int fd; /* -1: none */
    struct bytes incoming;
    struct bytes outgoing;
    bool ended; /* the other side has closed, or broken, it */
};

void link_init(struct link *link);

/* Tries once. 0, or an errno: ENOENT, ECONNREFUSED, EAGAIN while nobody listens yet. */
int link_connect(struct link *link, const char *path);

/* What poll is to wait for, and what is done then: moves bytes, sets `ended`. */
short link_events(const struct link *link);
void link_serve(struct link *link, short revents);

/*
 * Takes the next whole line out of what has come: NUL-terminated, valid until the next call. NULL if there is none;
 * *too_long tells that there never will be one.
 */
char *link_line(struct link *link, size_t *length, bool *too_long);

/* Sends as far as that is possible at once, keeps the rest. */
void link_send(struct link *link);
/* Drops what has not been sent. */
void link_close(struct link *link);
/* Waits until all has been sent, the other side is gone, or ten seconds are over, and closes. */
void link_finish(struct link *link);

#endif
