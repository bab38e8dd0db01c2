/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
/* The first process of an application's container in a job that is launched directly. */

#include "command.h"
#include "install.h"
#include "options.h"
#include "ready.h"
#include "supervise.h"

#include <stdio.h>

#ifndef VERSION
#error "VERSION comes from the Makefile"
#endif

int main(int argc, char **argv, char **environment) {
    struct options options;
    const char *error = argc > 0 ? options_parse(&options, argv + 1) : "no arguments";
    if (error != NULL) {
        fprintf(stderr, "fabric-launcher: %s; see fabric-launcher --help\n", error);
        return EXIT_LAUNCHER;
    }
    switch (options.mode) {
        case MODE_HELP:
            return fputs(OPTIONS_USAGE, stdout) < 0 ? EXIT_LAUNCHER : 0;
        case MODE_VERSION:
            return puts("fabric-launcher " VERSION) < 0 ? EXIT_LAUNCHER : 0;
        case MODE_INSTALL:
            return install(options.install_path);
        case MODE_READY:
            return ready(options.socket_path);
        case MODE_RANKS:
            return supervise(&options, environment);
    }
    return EXIT_LAUNCHER;
}
