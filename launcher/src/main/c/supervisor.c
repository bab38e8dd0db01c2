/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "supervisor.h"

#include "clock.h"
#include "command.h"
#include "running.h"
#include "signals.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* The first is for pmixd to say that it knows of the failure, which takes it milliseconds, and seconds where others have the processors. */
enum { VERDICT_MS = 10000, PATIENCE_MS = 10000 };

static void say(const char *text) { dprintf(2, "fabric-launcher: %s\n", text); }

static void enter(struct supervisor *s, enum phase phase, int64_t milliseconds) {
    s->phase = phase;
    s->deadline_ms = milliseconds < 0 ? INT64_MAX : clock_ms() + milliseconds;
}

__attribute__((format(printf, 2, 3))) static void tell(struct supervisor *s, const char *format, ...) {
    char text[256];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    if (s->link.fd < 0 || s->link.ended) return;
    bytes_append_text(&s->link.outgoing, text);
    link_send(&s->link);
}

static void set_exit_code(struct supervisor *s, int code) {
    if (s->exit_code < 0) s->exit_code = code;
}

/* With its verdict, or where none is awaited any more. */
static void finish(struct supervisor *s) { enter(s, PHASE_FINISHED, -1); }

static void wait_for_block(struct supervisor *s) {
    pmi_close(&s->pmi);
    s->again = s->held = false;
    s->exit_code = -1;
    if (block_reset(&s->block, s->options->ranks)) {
        enter(s, PHASE_WAITING, -1);
    } else {
        supervisor_fail(s, "out of memory");
    }
}

/* A rank that ended with 0 may have failed all the same, which pmixd alone knows: the others would wait for a pod that its Job takes for done. */
static void end_unjudged(struct supervisor *s) {
    char end[128];
    if (s->exit_code == 0) {
        server_tell_end(&s->server, end, sizeof end);
        dprintf(2, "fabric-launcher: pmixd has gone before it said whether the ranks ended well%s\n", end);
        s->exit_code = EXIT_LAUNCHER;
    }
    finish(s);
}

/* No rank is left. */
static void all_ended(struct supervisor *s) {
    running_end(s->options->socket_path);
    output_finish(&s->output, PATIENCE_MS);
    if (s->again && s->ended_by_signal == 0) {
        wait_for_block(s);
        return;
    }
    if (s->again) set_exit_code(s, 128 + s->ended_by_signal);
    set_exit_code(s, 0);
    tell(s, "done\n");
    if (s->stopped || s->again) {
        finish(s);
    } else if (s->link.fd < 0 || s->link.ended) {
        end_unjudged(s);
    } else {
        enter(s, PHASE_VERDICT, s->held || s->exit_code == 0 ? -1 : VERDICT_MS);
    }
}

/* Also where ranks are being ended already: their grace goes on. */
static void end_ranks(struct supervisor *s) {
    if (s->ranks.running == 0) {
        all_ended(s);
    } else if (s->phase != PHASE_ENDING) {
        running_end(s->options->socket_path);
        if (s->ended_by_signal != SIGTERM) ranks_signal(&s->ranks, SIGTERM);
        enter(s, PHASE_ENDING, s->ended_by_signal != 0 ? -1 : (int64_t)s->options->grace_seconds * 1000);
    }
}

void supervisor_fail(struct supervisor *s, const char *format, ...) {
    char text[1024];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    say(text);
    set_exit_code(s, EXIT_LAUNCHER);
    s->again = false;
    s->stopped = true;
    end_ranks(s);
}

static void start_ranks(struct supervisor *s) {
    bool piped = s->options->ranks > 1 || s->options->tagged;
    struct launch launch = {.pmi = &s->pmi, .descriptors = &s->descriptors, .command = s->options->command, .environment = s->environment, .mask = s->mask, .piped = piped, .binding = &s->binding, .beside_server = s->server.pid > 0};
    int *outputs = calloc(2 * (size_t)s->ranks.count, sizeof *outputs);
    const char *error = outputs == NULL ? "out of memory" : NULL;
    if (error == NULL) error = ranks_start(&s->ranks, &s->block, &launch, outputs);
    enter(s, PHASE_RUNNING, -1);
    if (piped && outputs != NULL && !output_add(&s->output, outputs, 2 * (size_t)s->ranks.count, s->block.first_rank, s->options->tagged)) {
        error = "out of memory";
    }
    free(outputs);
    for (uint32_t i = 0; i < s->ranks.count; i++) {
        if (s->ranks.all[i].running) tell(s, "started %u %ld\n", i, (long)s->ranks.all[i].pid);
    }
    running_begin(s->options->socket_path);
    if (error != NULL) supervisor_fail(s, "cannot start a rank: %s", error);
}

static void take_go(struct supervisor *s) {
    if (s->phase != PHASE_WAITING || !s->block.open) {
        supervisor_fail(s, "pmixd says go before ready");
    } else {
        start_ranks(s);
    }
}

static void take_again(struct supervisor *s) {
    if (s->stopped || s->ended_by_signal != 0) return;
    s->again = true;
    if (s->phase == PHASE_WAITING) {
        wait_for_block(s);
    } else {
        s->exit_code = -1;
        end_ranks(s);
    }
}

static void take_stop(struct supervisor *s, const struct message *m) {
    if (*m->text != '\0') say(m->text);
    /* The code of the rank that began it, which may be another pod's. */
    if (m->number != 0 && !s->stopped) s->exit_code = (int)m->number;
    set_exit_code(s, (int)m->number);
    s->again = false;
    s->stopped = true;
    if (s->phase == PHASE_VERDICT) {
        finish(s);
    } else {
        end_ranks(s);
    }
}

void supervisor_message(struct supervisor *s, const struct message *m) {
    const char *error;
    if (pmi_message(&s->pmi, m, s->phase == PHASE_WAITING)) return;
    switch (m->kind) {
        case MESSAGE_WARN:
            say(m->text);
            return;
        case MESSAGE_STOP:
            take_stop(s, m);
            return;
        case MESSAGE_AGAIN:
            take_again(s);
            return;
        case MESSAGE_HOLD:
            s->held = true;
            if (s->phase == PHASE_VERDICT) s->deadline_ms = INT64_MAX;
            return;
        case MESSAGE_GO:
            take_go(s);
            return;
        case MESSAGE_UNKNOWN:
            if (!s->warned_unknown) dprintf(2, "fabric-launcher: pmixd says '%.40s', which this version does not know\n", m->text);
            s->warned_unknown = true;
            return;
        default:
            error = s->phase == PHASE_WAITING ? block_apply(&s->block, m) : "it comes while ranks run";
            if (error != NULL) supervisor_fail(s, "pmixd's description of the job is refused: %s", error);
            return;
    }
}

void supervisor_lost(struct supervisor *s) {
    char end[128];
    link_close(&s->link);
    s->link.ended = true;
    if (s->phase == PHASE_VERDICT) {
        end_unjudged(s);
    } else if (s->phase == PHASE_WAITING) {
        server_tell_end(&s->server, end, sizeof end);
        supervisor_fail(s, "pmixd has gone before the job was whole%s", *end != '\0' ? end : "; its own log says why");
    } else if (s->phase == PHASE_RUNNING || (s->phase == PHASE_ENDING && s->again)) {
        server_tell_end(&s->server, end, sizeof end);
        supervisor_fail(s, "pmixd has gone while ranks run: they are ended%s", end);
    }
}

void supervisor_signal(struct supervisor *s, int signal) {
    bool asks_for_end = signal_asks_for_end(signal);
    /* First, so that it does not take the ranks' end for a failure of the job. */
    if (asks_for_end) server_terminate(&s->server);
    if (asks_for_end) tell(s, "ending\n");
    if (s->ranks.running > 0) {
        /* A second TERM would interrupt what a rank does about the first. */
        if (signal != SIGTERM || s->phase != PHASE_ENDING) ranks_signal(&s->ranks, signal);
        if (asks_for_end) {
            /* How long they may take is up to whoever sent it: the kubelet kills in its own time. */
            s->ended_by_signal = signal;
            s->deadline_ms = INT64_MAX;
        }
    } else if (asks_for_end && s->phase != PHASE_VERDICT) {
        set_exit_code(s, 128 + signal);
        finish(s);
    }
}

static void fail_to_connect(struct supervisor *s) {
    char end[128];
    server_tell_end(&s->server, end, sizeof end);
    supervisor_fail(s, "no pmixd at %s%s", s->options->socket_path, *end != '\0' ? end : " within a minute");
}

void supervisor_ended(struct supervisor *s, const struct ending *ending) {
    if (ending->pid == s->server.pid) {
        server_ended(&s->server, ending->code, ending->signal);
        if (s->phase == PHASE_CONNECTING) fail_to_connect(s);
    }
    if (ending->local_rank < 0) return;
    /* What it has said comes before its end. */
    pmi_ended(&s->pmi, (uint32_t)ending->local_rank, &s->link.outgoing);
    /* It would be taken for a rank of the next attempt. */
    if (!s->again) tell(s, "exited %d %d %d\n", ending->local_rank, ending->code, ending->signal);
    int code = ending->signal != 0 ? 128 + ending->signal : ending->code;
    bool failed = code != 0 && !s->again;
    if (failed) set_exit_code(s, code);
    if (s->ranks.running == 0) {
        all_ended(s);
    } else if (failed && s->phase == PHASE_RUNNING) {
        end_ranks(s);
    }
}

void supervisor_deadline(struct supervisor *s) {
    switch (s->phase) {
        case PHASE_CONNECTING:
            fail_to_connect(s);
            return;
        case PHASE_ENDING:
            ranks_signal(&s->ranks, SIGKILL);
            s->deadline_ms = INT64_MAX;
            return;
        case PHASE_VERDICT:
            finish(s);
            return;
        default:
            s->deadline_ms = INT64_MAX;
            return;
    }
}
