/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef FABRIC_OPTIONS_H
#define FABRIC_OPTIONS_H

#include "bind.h"

#include <stdbool.h>
#include <stdint.h>

enum mode {
    MODE_RANKS,
    MODE_SERVE_RUNS,
    MODE_WITH_MPIRUN,
    MODE_AWAIT_HOSTS,
    MODE_KEEP_ENVIRONMENT,
    MODE_TAKE_ENVIRONMENT,
    MODE_TOOL,
    MODE_PROBE,
    MODE_READY,
    MODE_INSTALL,
    MODE_HELP,
    MODE_VERSION
};

struct options {
    enum mode mode;
    const char *socket_path;
    const char *install_path; /* install */
    uint32_t ranks;           /* ranks; serve runs: those for which it has room */
    const char *directory;    /* with mpirun: of its links */
    bool tagged;
    enum bind bind; /* ranks */
    int grace_seconds;
    const char *image; /* where that of pmixd is mounted, which is to be started; NULL where it runs elsewhere */
    const char *heap_mebibytes;
    const char *file;  /* await hosts, with mpirun: the hostfile; keep and take environment: that of the variables */
    const char *order; /* await hosts: the hostfile in the order of the fabric, to be made; NULL for none */
    const char *names; /* keep environment */
    const char *tool;  /* tool: its name */
    int timeout_seconds;
    int code;             /* probe: the answer while no ranks run */
    int running_seconds;  /* probe: how long they must have run */
    char **command; /* of the modes that start one, of a probe perhaps none; tool: its arguments; ends with NULL */
};

extern const char OPTIONS_USAGE[];

/* Returns NULL, or a sentence on what is wrong with the command line. */
const char *options_parse(struct options *options, char **arguments);

#endif
