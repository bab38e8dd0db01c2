/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef FABRIC_SUPERVISOR_H
#define FABRIC_SUPERVISOR_H

#include "block.h"
#include "link.h"
#include "options.h"
#include "output.h"
#include "pmi.h"
#include "ranks.h"
#include "server.h"

#include <sys/resource.h>

/*
 * CONNECTING -> WAITING -> RUNNING -> (ENDING -> (VERDICT)) -> FINISHED, and back to WAITING when pmixd says `again`.
 * WAITING: for the block. ENDING: TERM has been sent, KILL follows. VERDICT: all ranks have ended, and pmixd says how: one that ended
 * with 0 may have failed, and one that failed may have lost a pod for which a replacement is awaited.
 */
enum phase { PHASE_CONNECTING, PHASE_WAITING, PHASE_RUNNING, PHASE_ENDING, PHASE_VERDICT, PHASE_FINISHED };

struct supervisor {
    const struct options *options;
    char **environment;
    enum phase phase;
    int64_t deadline_ms; /* of the phase; INT64_MAX for none */
    int exit_code;       /* -1: not known yet */
    bool again;          /* another attempt follows when the ranks have ended */
    bool stopped;        /* pmixd has said how this pod ends */
    bool held;           /* pmixd wants its verdict to be waited for */
    int ended_by_signal; /* 0, or one that was passed on and asks for the end */
    bool warned_unknown;
    sigset_t mask; /* of the ranks */
    struct server server;
    struct link link;
    struct block block;
    struct binding binding;
    struct ranks ranks;
    struct output output;
    struct pmi pmi;
    struct rlimit descriptors; /* as it was given: ranks have the same */
};

/* What happens, one call each. */
void supervisor_message(struct supervisor *s, const struct message *message);
void supervisor_lost(struct supervisor *s);
void supervisor_signal(struct supervisor *s, int signal);
void supervisor_ended(struct supervisor *s, const struct ending *ending);
void supervisor_deadline(struct supervisor *s);

/* Ends the ranks, if any, because of a failure of the launcher's own. */
__attribute__((format(printf, 2, 3))) void supervisor_fail(struct supervisor *s, const char *format, ...);

#endif
