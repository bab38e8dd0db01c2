/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef FABRIC_BYTES_H
#define FABRIC_BYTES_H

#include <stdbool.h>
#include <stddef.h>

/* Bytes that are appended at the end and taken from the front; never more than `limit` of them wait. */
struct bytes {
    char *data;
    size_t start;
    size_t end;
    size_t capacity;
    size_t limit;
};

#define BYTES_LIMITED(n) {.limit = (n)}

static inline size_t bytes_length(const struct bytes *b) { return b->end - b->start; }
static inline char *bytes_first(const struct bytes *b) { return b->data + b->start; }

/* false, with nothing appended, beyond the limit or without memory */
bool bytes_append(struct bytes *b, const void *data, size_t length);
bool bytes_append_text(struct bytes *b, const char *text);
/* Formats at most 1 KiB. */
__attribute__((format(printf, 2, 3))) bool bytes_format(struct bytes *b, const char *format, ...);
/* Any bytes as one piece of a line: those that are not printable ASCII, and %, become %XX. */
bool bytes_append_escaped(struct bytes *b, const void *data, size_t length);
void bytes_consume(struct bytes *b, size_t length);
/* Sends to a socket that never blocks as far as that is possible at once, keeps the rest. Drops all where the peer is gone: that shows when its last words have been read. */
void bytes_send(struct bytes *b, int fd);
void bytes_free(struct bytes *b);

#endif
