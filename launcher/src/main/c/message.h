/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef FABRIC_MESSAGE_H
#define FABRIC_MESSAGE_H

#include <stddef.h>
#include <stdint.h>

/* The longest line, in either direction. Linux takes no environment variable above 128 KiB; escaping may triple bytes. */
/* Ranks of a pod; in Java JobLimits.RANKS_PER_POD. */
#define RANKS_MAX 1024

enum { LINE_BYTES_MAX = 256 * 1024, NSPACE_BYTES_MAX = 255 };

enum message_kind {
    MESSAGE_READY,
    MESSAGE_SET,
    MESSAGE_DEFAULT,
    MESSAGE_RANK,
    MESSAGE_RANK_DEFAULT,
    MESSAGE_GO,
    MESSAGE_STOP,
    MESSAGE_AGAIN,
    MESSAGE_HOLD,
    MESSAGE_WARN,
    MESSAGE_UNKNOWN
};

/* One line from pmixd. `text` points into the line. */
struct message {
    enum message_kind kind;
    const char *text;    /* set, default, rank...: NAME=value; ready: the nspace; stop, warn: a sentence; else the line */
    uint32_t rank;       /* rank...: whose; ready: the first one of this pod */
    uint32_t rank_count; /* ready: of this pod */
    int exit_code;       /* stop: 0..255 */
};

/*
 * Reads the `length` bytes at `line`, which a NUL follows, and decodes their escapes in place.
 * Returns NULL, or a sentence on what is wrong with them.
 */
const char *message_parse(char *line, size_t length, struct message *message);

/* Decodes %XX in place. Returns the new length, or -1 for a bad escape or a NUL. */
long text_decode(char *text, size_t length);

#endif
