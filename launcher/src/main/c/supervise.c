/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "supervise.h"

#include "clock.h"
#include "command.h"
#include "facts.h"
#include "running.h"
#include "signals.h"
#include "supervisor.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <unistd.h>

enum { CONNECT_MS = 60 * 1000, QUICK_MS = 2000, QUICK_PAUSE_MS = 2, PAUSE_MS = 20 };

static const int PASSED_ON[] = {SIGTERM, SIGINT, SIGHUP, SIGQUIT, SIGUSR1, SIGUSR2};

static void take_signals(struct supervisor *s, int fd) {
    struct signalfd_siginfo info;
    while (read(fd, &info, sizeof info) == (ssize_t)sizeof info) {
        if ((int)info.ssi_signo != SIGCHLD) supervisor_signal(s, (int)info.ssi_signo);
    }
}

static void reap(struct supervisor *s) {
    struct ending ending;
    while (ranks_reap(&s->ranks, s->phase == PHASE_ENDING, &ending)) supervisor_ended(s, &ending);
}

/* What pmixd says of the next attempt waits until the ranks of this one have ended, which may take them a while. */
static bool hears(const struct supervisor *s) { return s->phase != PHASE_FINISHED && !(s->phase == PHASE_ENDING && s->again); }

static void take_lines(struct supervisor *s) {
    char *line;
    size_t length;
    bool too_long = false;
    while (hears(s) && s->link.fd >= 0 && (line = link_line(&s->link, &length, &too_long)) != NULL) {
        struct message message;
        const char *error = message_parse(line, length, &message);
        if (error == NULL) {
            supervisor_message(s, &message);
        } else {
            supervisor_fail(s, "pmixd's text cannot be understood: %s", error);
        }
    }
    if (too_long && !s->stopped) supervisor_fail(s, "pmixd's text cannot be understood: a line of more than 256 KiB");
    if (hears(s) && (s->link.ended || too_long) && s->link.fd >= 0) supervisor_lost(s);
}

static void try_connect(struct supervisor *s, const struct bytes *hello) {
    int error = link_connect(&s->link, s->options->socket_path);
    if (error == 0) {
        bytes_append(&s->link.outgoing, bytes_first(hello), bytes_length(hello));
        link_send(&s->link);
        s->phase = s->exit_code < 0 ? PHASE_WAITING : PHASE_FINISHED;
        s->deadline_ms = INT64_MAX;
    } else if (error != ENOENT && error != ECONNREFUSED && error != EAGAIN && error != ENOTDIR) {
        supervisor_fail(s, "cannot connect to %s: %s", s->options->socket_path, strerror(error));
    }
}

static int timeout_ms(const struct supervisor *s, int64_t started_ms) {
    int64_t now = clock_ms();
    int64_t left = s->deadline_ms == INT64_MAX ? -1 : s->deadline_ms > now ? s->deadline_ms - now : 0;
    if (s->phase != PHASE_CONNECTING) return left > 3600 * 1000 ? 3600 * 1000 : (int)left;
    int64_t pause = now - started_ms < QUICK_MS ? QUICK_PAUSE_MS : PAUSE_MS;
    return (int)(left < pause ? left : pause);
}

static void run(struct supervisor *s, const struct bytes *hello, int signals, struct pollfd *polls) {
    int64_t started = clock_ms();
    while (s->phase != PHASE_FINISHED) {
        if (s->phase == PHASE_CONNECTING) try_connect(s, hello);
        if (s->phase == PHASE_FINISHED) return;
        polls[0] = (struct pollfd){.fd = signals, .events = POLLIN};
        polls[1] = (struct pollfd){.fd = hears(s) ? s->link.fd : -1, .events = link_events(&s->link)};
        server_prepare(&s->server, &polls[2]);
        output_prepare(&s->output, polls + 3);
        struct pollfd *pmi = polls + 5 + s->output.source_count;
        pmi_prepare(&s->pmi, pmi, &s->link.outgoing);
        size_t count = 5 + s->output.source_count + s->pmi.count;
        int n = poll(polls, count, timeout_ms(s, started));
        if (n < 0 && errno != EINTR) {
            supervisor_fail(s, "poll: %s", strerror(errno));
            return;
        }
        if (n > 0) {
            output_serve(&s->output, polls + 3);
            pmi_serve(&s->pmi, pmi, &s->link.outgoing);
            link_send(&s->link);
            server_serve(&s->server, &polls[2]);
            if (polls[1].revents != 0) link_serve(&s->link, polls[1].revents);
            if (s->link.fd >= 0) take_lines(s);
            if (polls[0].revents != 0) take_signals(s, signals);
            reap(s);
            /* What has waited for that. */
            if (s->link.fd >= 0) take_lines(s);
        }
        if (s->phase != PHASE_FINISHED && clock_ms() >= s->deadline_ms) supervisor_deadline(s);
    }
}

int supervise(const struct options *options, char **environment) {
    static struct supervisor s;
    struct bytes hello = BYTES_LIMITED(512 * 1024);
    char path[4096];
    int found = command_find(options->command[0], getenv("PATH"), path, sizeof path);
    if (found != 0) {
        fprintf(stderr, "fabric-launcher: %s: %s\n", options->command[0], found == EXIT_NOT_FOUND ? "not found" : "not executable");
    }
    /* Of a container that was killed, and begins again. */
    running_end(options->socket_path);
    s.options = options;
    s.environment = options->image != NULL ? server_rest(environment) : environment;
    s.exit_code = found != 0 ? found : -1;
    s.phase = PHASE_CONNECTING;
    s.deadline_ms = clock_ms() + CONNECT_MS;
    s.ranks.count = options->ranks;
    s.ranks.all = calloc(options->ranks, sizeof *s.ranks.all);
    ranks_raise_descriptors(&s.descriptors);
    link_init(&s.link);
    server_init(&s.server);
    output_open(&s.output, 1, 2);
    struct pollfd *polls = calloc(5 + 3 * (size_t)options->ranks, sizeof *polls);
    int signals = signals_open(PASSED_ON, sizeof PASSED_ON / sizeof PASSED_ON[0], &s.mask);
    /* What ranks leave behind is reaped here, also where this is not the first process of a PID namespace. */
    prctl(PR_SET_CHILD_SUBREAPER, 1);
    /* First of all: it takes a while to start. Where there is nothing to run, nobody has to be told. */
    const char *error = options->image != NULL && found == 0 && signals >= 0 ? server_start(&s.server, options, environment, &s.mask) : NULL;
    const char *unbound = bind_allowed(&s.binding, options->bind, options->ranks);
    if (unbound != NULL) fprintf(stderr, "fabric-launcher: the ranks are not bound: %s\n", unbound);
    if (s.environment == NULL || s.ranks.all == NULL || polls == NULL || signals < 0 || !block_reset(&s.block, options->ranks) ||
        /* With nothing to run, pmixd is only told that its launcher has come and gone: it would wait, and the pod never end. */
        !(found == 0 ? facts_write(&hello, "", options->ranks, options->command, &s.binding, options->image != NULL ? s.environment : NULL) : bytes_append_text(&hello, FACTS_GREETING))) {
        fprintf(stderr, "fabric-launcher: cannot start: %s\n", strerror(errno));
        return EXIT_LAUNCHER;
    }
    if (options->image != NULL && found != 0) s.phase = PHASE_FINISHED;
    if (error != NULL) supervisor_fail(&s, "cannot start pmixd: %s", error);
    run(&s, &hello, signals, polls);
    int code = s.exit_code < 0 ? EXIT_LAUNCHER : s.exit_code;
    /* With many ranks their ends may not have gone out yet: without them pmixd would take a job that is done for one that was left. */
    link_finish(&s.link);
    server_await_end(&s.server, signals, -1);
    server_free(&s.server);
    if (s.environment != environment) free(s.environment);
    block_free(&s.block);
    pmi_close(&s.pmi);
    bind_free(&s.binding);
    bytes_free(&hello);
    for (int i = 0; i < 2; i++) bytes_free(&s.output.sinks[i].queue);
    free(s.ranks.all);
    free(polls);
    close(signals);
    return code;
}
