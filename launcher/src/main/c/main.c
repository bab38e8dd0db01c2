/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
/* The first process of an application's container in a job that is launched directly, or whose launcher reaches it by ssh; and the mpirun of an MPIJob. */

#include "command.h"
#include "environment.h"
#include "files.h"
#include "hosts.h"
#include "install.h"
#include "mpirun.h"
#include "options.h"
#include "ready.h"
#include "running.h"
#include "serve.h"
#include "server.h"
#include "shim.h"
#include "supervise.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#ifndef VERSION
#error "VERSION comes from the Makefile"
#endif

/* Does not come back where the command can be executed. */
static int become(char **command) {
    char path[4096];
    int code = command_find(command[0], getenv("PATH"), path, sizeof path);
    if (code == 0) {
        execv(path, command);
        code = EXIT_NOT_EXECUTABLE;
    }
    fprintf(stderr, "fabric-launcher: %s: %s\n", command[0], code == EXIT_NOT_FOUND ? "not found" : "not executable");
    return code;
}

/* What the command lacks for want of a file is less than what it would lack if it were not started. */
static int become_anyway(char **command, bool done, const char *path) {
    if (!done) fprintf(stderr, "fabric-launcher: variables of devices are missing: %s: %s\n", path, strerror(errno));
    return become(command);
}

/* In another order ranks have longer ways, which is less than not to run. */
static int become_in_order(const struct options *options, char **environment) {
    if (options->order != NULL) {
        directory_of_keep_names(options->order);
        if (!server_order_hosts(options, environment) || !hosts_rename_file(options->file, options->order)) {
            fprintf(stderr, "fabric-launcher: the order of hosts is that of %s\n", options->file);
        }
        char **rest = server_rest(environ);
        if (rest != NULL) environ = rest;
    }
    return become(options->command);
}

int main(int argc, char **argv, char **environment) {
    struct options options;
    if (argc > 0 && is_mpirun(argv[0])) return shim_run(argv);
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
        case MODE_AWAIT_HOSTS: {
            int code = hosts_await(options.file, options.timeout_seconds);
            return code == 0 ? become_in_order(&options, environment) : code;
        }
        case MODE_KEEP_ENVIRONMENT:
            return become_anyway(options.command, environment_keep(options.file, options.names), options.file);
        case MODE_TAKE_ENVIRONMENT:
            return become_anyway(options.command, environment_take(options.file), options.file);
        case MODE_SERVE_RUNS:
            directory_of_keep_names(options.socket_path);
            return serve_runs(&options, environment);
        case MODE_WITH_MPIRUN:
            return shim_install(&options);
        case MODE_TOOL:
            return server_tool(&options);
        case MODE_PROBE:
            if (!running_for(options.socket_path, options.running_seconds)) return options.code;
            return *options.command == NULL ? 0 : become(options.command);
        case MODE_RANKS:
            directory_of_keep_names(options.socket_path);
            return supervise(&options, environment);
    }
    return EXIT_LAUNCHER;
}
