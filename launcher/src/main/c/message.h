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
    MESSAGE_DIRECTORY,
    MESSAGE_ARGUMENT,
    MESSAGE_BIND,
    MESSAGE_SIGNAL,
    MESSAGE_INPUT,
    MESSAGE_INPUT_END,
    MESSAGE_STARTED,
    MESSAGE_OUTPUT,
    MESSAGE_TAKEN,
    MESSAGE_PMI,
    MESSAGE_KEPT,
    MESSAGE_FENCED,
    MESSAGE_NAMED,
    MESSAGE_UNKNOWN
};

/* One line from pmixd. `text` points into the line. */
struct message {
    enum message_kind kind;
    const char *text;    /* set, default, rank...: NAME=value; kept: the same; named: a port, or why not; ready: the nspace; pmi: the job's name; stop, warn: a sentence; directory, argument, bind, input, output: that; else the line */
    size_t text_length;  /* of input and output, which may hold zero bytes */
    uint32_t rank;       /* rank..., output, named: whose, in the pod's own count for named; ready: the first one of this pod */
    uint32_t rank_count; /* ready: of this pod */
    uint32_t app;        /* pmi: of this pod's ranks */
    uint32_t number;     /* stop: the exit code, 0..255; signal: which; output: 1 or 2, the stream; taken: bytes; pmi: ranks of the job; fenced, named: 0 if it is done */
};

/*
 * Reads the `length` bytes at `line`, which a NUL follows, and decodes their escapes in place.
 * Returns NULL, or a sentence on what is wrong with them.
 */
const char *message_parse(char *line, size_t length, struct message *message);

/* Decodes %XX in place. Returns the new length, or -1 for a bad escape. */
long text_decode(char *text, size_t length);

#endif
