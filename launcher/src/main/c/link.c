/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "link.h"

#include "clock.h"
#include "message.h"

#include <errno.h>
#include <poll.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

/* Half of it, and PMI_PUT_BYTES, are for what ranks say by PMI; the rest always has room for the ends of all ranks. */
enum { OUTGOING_BYTES = 8 * 1024 * 1024, FINISH_MS = 10 * 1000 };

void link_init(struct link *link) {
    memset(link, 0, sizeof *link);
    link->fd = -1;
    link->incoming.limit = LINE_BYTES_MAX + 1;
    link->outgoing.limit = OUTGOING_BYTES;
}

int link_connect(struct link *link, const char *path) {
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    if (strlen(path) >= sizeof address.sun_path) return ENAMETOOLONG;
    strcpy(address.sun_path, path);
    int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (fd < 0) return errno;
    if (connect(fd, (struct sockaddr *)&address, sizeof address) != 0) {
        int error = errno;
        close(fd);
        return error;
    }
    link->fd = fd;
    link->ended = false;
    return 0;
}

short link_events(const struct link *link) {
    short events = bytes_length(&link->incoming) < link->incoming.limit ? POLLIN : 0;
    return (short)(bytes_length(&link->outgoing) > 0 ? events | POLLOUT : events);
}

void link_send(struct link *link) {
    if (link->fd >= 0) bytes_send(&link->outgoing, link->fd);
}

void link_serve(struct link *link, short revents) {
    static char buffer[64 * 1024];
    if ((revents & POLLOUT) != 0) link_send(link);
    if ((revents & (POLLIN | POLLHUP | POLLERR)) == 0) return;
    size_t room = link->incoming.limit - bytes_length(&link->incoming);
    if (room == 0) return;
    ssize_t n = recv(link->fd, buffer, room < sizeof buffer ? room : sizeof buffer, 0);
    if (n > 0) {
        link->ended = !bytes_append(&link->incoming, buffer, (size_t)n);
    } else if (n == 0 || (errno != EINTR && errno != EAGAIN)) {
        link->ended = true;
    }
}

char *link_line(struct link *link, size_t *length, bool *too_long) {
    size_t waiting = bytes_length(&link->incoming);
    *too_long = false;
    if (waiting == 0) return NULL;
    char *line = bytes_first(&link->incoming);
    char *newline = memchr(line, '\n', waiting);
    if (newline == NULL) {
        *too_long = waiting >= link->incoming.limit;
        return NULL;
    }
    *newline = '\0';
    *length = (size_t)(newline - line);
    bytes_consume(&link->incoming, *length + 1);
    return line;
}

void link_finish(struct link *link) {
    int64_t deadline = clock_ms() + FINISH_MS;
    link_send(link);
    while (link->fd >= 0 && bytes_length(&link->outgoing) > 0) {
        struct pollfd writable = {.fd = link->fd, .events = POLLOUT};
        int64_t left = deadline - clock_ms();
        if (left <= 0 || (poll(&writable, 1, (int)left) < 0 && errno != EINTR)) break;
        link_send(link);
    }
    link_close(link);
}

void link_close(struct link *link) {
    if (link->fd >= 0) close(link->fd);
    link->fd = -1;
    bytes_free(&link->incoming);
    bytes_free(&link->outgoing);
}
