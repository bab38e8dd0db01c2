/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef FABRIC_SERVER_H
#define FABRIC_SERVER_H

#include "bytes.h"
#include "options.h"

#include <poll.h>
#include <signal.h>
#include <stdint.h>
#include <sys/types.h>

/*
 * The pmixd that this process has started, where the image of pmixd is mounted into the application's container. It has a session, an
 * environment and libraries of its own; what it writes is kept, and shown only where it ends unasked.
 */
struct server {
    pid_t pid; /* 0: none was started here */
    bool ended;
    int code;
    int signal;    /* 0, or the one that ended it */
    int output;    /* -1: at its end */
    bool shown;    /* what it writes goes out at once */
    struct bytes log; /* the last of what it wrote */
};

/* What begins with this in the container's environment is pmixd's, without the prefix, and reaches no rank. */
#define SERVER_PREFIX "PMIXD_"

void server_init(struct server *server);

/* Starts pmixd from its image, as the options say. Returns NULL, or a sentence. `mask`: signals that are blocked in it. */
const char *server_start(struct server *server, const struct options *options, char *const container[], const sigset_t *mask);

/* Becomes a PMIx tool of the image, which finds the server that was started from it. Comes back, with an exit code, where that cannot be. */
int server_tool(const struct options *options);

/*
 * Has a program of pmixd's image ask the job service in which order the fabric has the hosts of options->file, and write that file anew, in their order, as
 * options->order. false where it has not; why stands in standard error.
 */
bool server_order_hosts(const struct options *options, char *const container[]);

/* The same environment without what is pmixd's; NULL without memory, else to be freed as one piece. */
char **server_rest(char *const container[]);

void server_prepare(const struct server *server, struct pollfd *poll);
void server_serve(struct server *server, const struct pollfd *poll);

/* Asks it to end; nothing where there is none. */
void server_terminate(const struct server *server);

/* It has been reaped. */
void server_ended(struct server *server, int code, int signal);

/* Its connection is gone: gives it a moment to end, then puts into `text` how it ended, and shows what it wrote last. "" where none was started here. */
void server_tell_end(struct server *server, char *text, size_t size);

/*
 * Waits until it has ended: pods below this one may still need it. Signals are read from the descriptor. After `patience_ms` (-1: never)
 * it is asked to end, after as long again killed.
 */
void server_await_end(struct server *server, int signals, int64_t patience_ms);
void server_free(struct server *server);

#endif
