/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef FABRIC_OUTPUT_H
#define FABRIC_OUTPUT_H

#include "bytes.h"

#include <poll.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A line is kept whole up to this; what is longer goes out in pieces. Beyond so much waiting, no more is read. */
enum { OUTPUT_LINE_BYTES = 64 * 1024, OUTPUT_READ_BYTES = 16 * 1024, OUTPUT_PAUSE_BYTES = 256 * 1024, OUTPUT_TAG_BYTES = 32 };

/* Where ranks' lines go: this process' standard output or error. */
struct sink {
    int fd;
    struct bytes queue;
    bool closed;                /* nobody reads it any more */
    const struct source *last;  /* whose text was queued last */
    bool inside_line;           /* and whether that ended without a line end */
};

/* One stream of one rank. */
struct source {
    int fd; /* -1: at its end */
    struct sink *sink;
    struct bytes line;
    char tag[OUTPUT_TAG_BYTES]; /* before each line, "" for none */
};

/* Brings the streams of all ranks together, whole lines at a time; never blocks, never grows beyond fixed bounds. */
struct output {
    struct sink sinks[2];
    struct source *sources;
    size_t source_count;
    /* Of what comes by output_take: */
    bool tagged;
    bool merged;
    bool unbuffered; /* one rank only: its lines need no care */
};

/* Takes the two standard streams; one sink for both where both lead to the same place. */
void output_open(struct output *output, int out_fd, int err_fd);

/* Takes over the reading ends (non-blocking) of `count` streams: out, err, out, err ... false without memory. */
bool output_add(struct output *output, const int *fds, size_t count, uint32_t first_rank, bool tagged);

/*
 * Takes text of a rank's stream (1 or 2) that comes by other ways than a descriptor: sources are added as ranks speak. Tags are those of mpirun.
 * false without memory.
 */
bool output_take(struct output *output, uint32_t rank, unsigned stream, const char *text, size_t length);
/* No such text comes any more: queues lines that have not ended, as far as there is room. Whether that is done. */
bool output_end(struct output *output);
/* Whether so much waits that no more should be taken; whether nothing waits. */
bool output_paused(const struct output *output);
bool output_idle(const struct output *output);

/* Fills in 2 entries, of the standard streams, then does what poll said about them. */
void output_prepare_sinks(const struct output *output, struct pollfd *polls);
void output_serve_sinks(struct output *output, const struct pollfd *polls);

/* The same with those of the sources: 2 + source_count entries. */
void output_prepare(const struct output *output, struct pollfd *polls);
void output_serve(struct output *output, const struct pollfd *polls);

/* Takes what the streams still hold without waiting for their writers, writes all of it and closes the streams. Gives up on a reader that takes nothing for `patience_ms`. */
void output_finish(struct output *output, int patience_ms);

#endif
