/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "bytes.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

static bool make_room(struct bytes *b, size_t length) {
    size_t waiting = bytes_length(b);
    if (length > b->limit || waiting > b->limit - length) return false;
    if (b->capacity - b->end >= length) return true;
    if (b->capacity - waiting >= length && waiting <= b->capacity / 2) {
        if (waiting > 0) memmove(b->data, b->data + b->start, waiting);
    } else {
        size_t capacity = b->capacity > 0 ? b->capacity : 256;
        while (capacity < waiting + length) capacity *= 2;
        char *data = malloc(capacity);
        if (data == NULL) return false;
        if (waiting > 0) memcpy(data, b->data + b->start, waiting);
        free(b->data);
        b->data = data;
        b->capacity = capacity;
    }
    b->start = 0;
    b->end = waiting;
    return true;
}

bool bytes_append(struct bytes *b, const void *data, size_t length) {
    if (length == 0) return true;
    if (!make_room(b, length)) return false;
    memcpy(b->data + b->end, data, length);
    b->end += length;
    return true;
}

bool bytes_append_text(struct bytes *b, const char *text) { return bytes_append(b, text, strlen(text)); }

bool bytes_format(struct bytes *b, const char *format, ...) {
    char text[1024];
    va_list arguments;
    va_start(arguments, format);
    int length = vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    return length >= 0 && (size_t)length < sizeof text && bytes_append(b, text, (size_t)length);
}

bool bytes_append_escaped(struct bytes *b, const void *data, size_t length) {
    static const char HEX[] = "0123456789ABCDEF";
    const unsigned char *at = data;
    size_t before = bytes_length(b);
    for (size_t i = 0; i < length;) {
        size_t plain = i;
        while (plain < length && at[plain] >= ' ' && at[plain] <= '~' && at[plain] != '%') plain++;
        bool done = bytes_append(b, at + i, plain - i);
        if (done && plain < length) {
            done = bytes_append(b, (char[]){'%', HEX[at[plain] >> 4], HEX[at[plain] & 15]}, 3);
            plain++;
        }
        if (!done) {
            b->end = b->start + before;
            return false;
        }
        i = plain;
    }
    return true;
}

void bytes_consume(struct bytes *b, size_t length) {
    b->start += length;
    if (b->start == b->end) b->start = b->end = 0;
}

void bytes_send(struct bytes *b, int fd) {
    while (bytes_length(b) > 0) {
        ssize_t n = send(fd, bytes_first(b), bytes_length(b), MSG_NOSIGNAL);
        if (n > 0) {
            bytes_consume(b, (size_t)n);
        } else if (n < 0 && errno == EINTR) {
            continue;
        } else {
            if (errno != EAGAIN) bytes_consume(b, bytes_length(b));
            return;
        }
    }
}

void bytes_free(struct bytes *b) {
    free(b->data);
    b->data = NULL;
    b->start = b->end = b->capacity = 0;
}
