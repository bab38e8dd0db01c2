/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "output.h"

#include "message.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* A pipe that poll calls writable takes this much without blocking. */
enum { WRITE_BYTES = PIPE_BUF };

/* The most that one read, or one line of pmixd's, can add to a queue: every byte a line with a tag, after a line that was kept. */
enum { QUEUE_BYTES = OUTPUT_PAUSE_BYTES + OUTPUT_LINE_BYTES + LINE_BYTES_MAX * (OUTPUT_TAG_BYTES + 2), TAKEN_RANKS_MAX = 1024 * 1024 };

void output_open(struct output *output, int out_fd, int err_fd) {
    memset(output, 0, sizeof *output);
    for (int i = 0; i < 2; i++) {
        output->sinks[i].fd = i == 0 ? out_fd : err_fd;
        output->sinks[i].queue.limit = QUEUE_BYTES;
    }
}

static bool same_place(int a, int b) {
    struct stat first, second;
    return fstat(a, &first) == 0 && fstat(b, &second) == 0 && first.st_dev == second.st_dev && first.st_ino == second.st_ino;
}

bool output_add(struct output *output, const int *fds, size_t count, uint32_t first_rank, bool tagged) {
    struct sink *errors = &output->sinks[same_place(output->sinks[0].fd, output->sinks[1].fd) ? 0 : 1];
    output->sources = calloc(count, sizeof *output->sources);
    if (output->sources == NULL) return false;
    output->source_count = count;
    for (size_t i = 0; i < count; i++) {
        struct source *source = &output->sources[i];
        source->fd = fds[i];
        source->sink = i % 2 == 0 ? &output->sinks[0] : errors;
        source->line.limit = OUTPUT_LINE_BYTES;
        if (tagged) snprintf(source->tag, sizeof source->tag, "[%u] ", first_rank + (uint32_t)(i / 2));
    }
    return true;
}

static void put(struct sink *sink, const void *data, size_t length) {
    /* Within bounds by construction; without memory the text is lost rather than the job. */
    (void)bytes_append(&sink->queue, data, length);
}

/* Queues a piece of a stream's text; a line of another stream that has not ended is ended first. */
static void emit(struct source *source, const char *text, size_t length, bool ends_line) {
    struct sink *sink = source->sink;
    if (sink->closed || length == 0) return;
    bool resumes = sink->inside_line && sink->last == source;
    if (sink->inside_line && !resumes) put(sink, "\n", 1);
    if (!resumes) put(sink, source->tag, strlen(source->tag));
    put(sink, text, length);
    sink->last = source;
    sink->inside_line = !ends_line;
}

static void take(struct source *source, const char *text, size_t length) {
    while (length > 0) {
        const char *newline = memchr(text, '\n', length);
        size_t piece = newline != NULL ? (size_t)(newline - text) + 1 : length;
        bool whole = newline != NULL && bytes_length(&source->line) == 0;
        if (!whole && !bytes_append(&source->line, text, piece)) {
            emit(source, bytes_first(&source->line), bytes_length(&source->line), false);
            bytes_consume(&source->line, bytes_length(&source->line));
            if (newline == NULL && bytes_append(&source->line, text, piece)) return;
            whole = true;
        }
        if (whole) {
            emit(source, text, piece, newline != NULL);
        } else if (newline != NULL) {
            emit(source, bytes_first(&source->line), bytes_length(&source->line), true);
            bytes_consume(&source->line, bytes_length(&source->line));
        }
        text += piece;
        length -= piece;
    }
}

static void close_source(struct source *source) {
    if (source->fd >= 0) close(source->fd);
    source->fd = -1;
    if (bytes_length(&source->line) > 0) emit(source, bytes_first(&source->line), bytes_length(&source->line), false);
    bytes_free(&source->line);
}

/* Reads once; true if there may be more. */
static bool read_source(struct source *source) {
    static char buffer[OUTPUT_READ_BYTES];
    ssize_t n = read(source->fd, buffer, sizeof buffer);
    if (n > 0) {
        take(source, buffer, (size_t)n);
        return true;
    }
    if (n < 0 && (errno == EAGAIN || errno == EWOULDBLOCK)) return false;
    if (n < 0 && errno == EINTR) return true;
    close_source(source);
    return false;
}

/* Writes once; true if something went out. */
static bool write_sink(struct sink *sink) {
    size_t length = bytes_length(&sink->queue);
    if (length == 0) return false;
    ssize_t n = write(sink->fd, bytes_first(&sink->queue), length < WRITE_BYTES ? length : WRITE_BYTES);
    if (n > 0) {
        bytes_consume(&sink->queue, (size_t)n);
        return true;
    }
    if (n < 0 && errno != EINTR && errno != EAGAIN && errno != EWOULDBLOCK) {
        sink->closed = true;
        bytes_free(&sink->queue);
    }
    return false;
}

static bool paused(const struct sink *sink) { return bytes_length(&sink->queue) >= OUTPUT_PAUSE_BYTES; }

static bool grow(struct output *output, size_t count) {
    if (count <= output->source_count) return true;
    size_t wanted = output->source_count > 0 ? 2 * output->source_count : 16;
    while (wanted < count) wanted *= 2;
    struct source *sources = calloc(wanted, sizeof *sources);
    if (sources == NULL) return false;
    if (output->source_count > 0) memcpy(sources, output->sources, output->source_count * sizeof *sources);
    for (int i = 0; i < 2; i++) {
        if (output->sinks[i].last != NULL) output->sinks[i].last = sources + (output->sinks[i].last - output->sources);
    }
    free(output->sources);
    struct sink *errors = &output->sinks[output->merged || same_place(output->sinks[0].fd, output->sinks[1].fd) ? 0 : 1];
    for (size_t i = output->source_count; i < wanted; i++) {
        sources[i].fd = -1;
        sources[i].sink = i % 2 == 0 ? &output->sinks[0] : errors;
        sources[i].line.limit = OUTPUT_LINE_BYTES;
        if (output->tagged) snprintf(sources[i].tag, sizeof sources[i].tag, "[1,%u]<%s>: ", (unsigned)(i / 2), i % 2 == 0 ? "stdout" : "stderr");
    }
    output->sources = sources;
    output->source_count = wanted;
    return true;
}

bool output_take(struct output *output, uint32_t rank, unsigned stream, const char *text, size_t length) {
    size_t index = 2 * (size_t)rank + stream - 1;
    if (rank >= TAKEN_RANKS_MAX || !grow(output, index + 1)) return false;
    struct source *source = &output->sources[index];
    if (output->unbuffered && !output->tagged) {
        if (!source->sink->closed) put(source->sink, text, length);
    } else {
        take(source, text, length);
    }
    return true;
}

bool output_paused(const struct output *output) { return paused(&output->sinks[0]) || paused(&output->sinks[1]); }

bool output_end(struct output *output) {
    for (size_t i = 0; i < output->source_count; i++) {
        if (output_paused(output)) return false;
        close_source(&output->sources[i]);
    }
    return true;
}

bool output_idle(const struct output *output) { return bytes_length(&output->sinks[0].queue) == 0 && bytes_length(&output->sinks[1].queue) == 0; }

void output_prepare_sinks(const struct output *output, struct pollfd *polls) {
    for (int i = 0; i < 2; i++) {
        const struct sink *sink = &output->sinks[i];
        polls[i] = (struct pollfd){.fd = bytes_length(&sink->queue) > 0 ? sink->fd : -1, .events = POLLOUT};
    }
}

void output_serve_sinks(struct output *output, const struct pollfd *polls) {
    for (int i = 0; i < 2; i++) {
        if (polls[i].revents != 0) write_sink(&output->sinks[i]);
    }
}

void output_prepare(const struct output *output, struct pollfd *polls) {
    output_prepare_sinks(output, polls);
    for (size_t i = 0; i < output->source_count; i++) {
        const struct source *source = &output->sources[i];
        polls[2 + i] = (struct pollfd){.fd = paused(source->sink) ? -1 : source->fd, .events = POLLIN};
    }
}

void output_serve(struct output *output, const struct pollfd *polls) {
    output_serve_sinks(output, polls);
    for (size_t i = 0; i < output->source_count; i++) {
        struct source *source = &output->sources[i];
        if (polls[2 + i].revents != 0 && !paused(source->sink)) read_source(source);
    }
}

static void drain(struct sink *sink, int patience_ms) {
    while (bytes_length(&sink->queue) > 0 && !sink->closed) {
        struct pollfd writable = {.fd = sink->fd, .events = POLLOUT};
        int n = poll(&writable, 1, patience_ms);
        if (n < 0 && errno == EINTR) continue;
        if (n <= 0) {
            sink->closed = true;
            bytes_free(&sink->queue);
        } else {
            write_sink(sink);
        }
    }
}

void output_finish(struct output *output, int patience_ms) {
    for (size_t i = 0; i < output->source_count; i++) {
        struct source *source = &output->sources[i];
        /* A pipe holds 1 MiB at most; a writer that goes on for ever is not waited for. */
        for (int reads = 0; source->fd >= 0 && reads < 128 && read_source(source); reads++) {
            if (paused(source->sink)) drain(source->sink, patience_ms);
        }
        if (paused(source->sink)) drain(source->sink, patience_ms);
        close_source(source);
    }
    for (int i = 0; i < 2; i++) {
        drain(&output->sinks[i], patience_ms);
        output->sinks[i].last = NULL;
    }
    free(output->sources);
    output->sources = NULL;
    output->source_count = 0;
}
