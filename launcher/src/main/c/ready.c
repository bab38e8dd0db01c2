/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "ready.h"

#include "link.h"

#include <poll.h>
#include <string.h>

enum { ANSWER_MS = 10 * 1000 };

int ready(const char *socket_path) {
    struct link link;
    link_init(&link);
    if (link_connect(&link, socket_path) != 0) return 1;
    bytes_append_text(&link.outgoing, "ready?\n");
    link_send(&link);
    size_t length;
    bool too_long;
    char *line = NULL;
    while (!link.ended && (line = link_line(&link, &length, &too_long)) == NULL && !too_long) {
        struct pollfd poll_one = {.fd = link.fd, .events = link_events(&link)};
        if (poll(&poll_one, 1, ANSWER_MS) <= 0) break;
        link_serve(&link, poll_one.revents);
    }
    if (line == NULL) line = link_line(&link, &length, &too_long);
    int result = line != NULL && strcmp(line, "yes") == 0 ? 0 : 1;
    link_close(&link);
    return result;
}
