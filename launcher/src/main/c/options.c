/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "options.h"

#include "message.h"
#include "server.h"

#include <stdlib.h>
#include <string.h>

#define TEXT(macro) TEXT_OF(macro)
#define TEXT_OF(value) #value

const char OPTIONS_USAGE[] =
    "Usage: fabric-launcher --ranks K [--pmixd DIRECTORY [--heap MIB]] [--bind core|numa|none] [--tag] [--grace SECONDS] [--] COMMAND [ARGUMENT...]\n"
    "       fabric-launcher --serve-runs K --pmixd DIRECTORY [--heap MIB] [--grace SECONDS] [--] COMMAND [ARGUMENT...]\n"
    "       fabric-launcher --with-mpirun DIRECTORY --pmixd DIRECTORY [--heap MIB] [--hostfile FILE [--timeout SECONDS]] [--] COMMAND [ARGUMENT...]\n"
    "       fabric-launcher --await-hosts HOSTFILE [--timeout SECONDS] [--order FILE --pmixd DIRECTORY] [--] COMMAND [ARGUMENT...]\n"
    "       fabric-launcher --keep-environment FILE --names NAME,... [--] COMMAND [ARGUMENT...]\n"
    "       fabric-launcher --take-environment FILE [--] COMMAND [ARGUMENT...]\n"
    "       fabric-launcher --tool NAME --pmixd DIRECTORY [--] [ARGUMENT...]\n"
    "       fabric-launcher --probe CODE [--running SECONDS] [--] [COMMAND [ARGUMENT...]]\n"
    "       fabric-launcher --install PATH | --ready | --help | --version\n"
    "Starts the ranks of one pod once its pmixd has the map of the job. Called as mpirun, mpiexec, mpiexec.hydra, prterun or orterun it runs ranks in the workers of an MPIJob.\n"
    "\n"
    "  --ranks K          how many ranks this pod has, at most " TEXT(RANKS_MAX) "\n"
    "  --pmixd DIRECTORY  start pmixd from its image, which is mounted there; the variables " SERVER_PREFIX "... are its own\n"
    "  --heap MIB         of pmixd (default: 24)\n"
    "  --bind core|numa   give each rank an equal share of the cores, or of the NUMA nodes, that this container may use (default: none)\n"
    "  --tag              put [rank] before each line of output\n"
    "  --grace SECONDS    between TERM and KILL when ranks are ended (default: 30); where a signal ends this program, whoever sent it kills\n"
    "                     in his own time\n"
    "  --serve-runs K            run the command, an SSH server, and beside it the ranks of each mpirun; K: slots of this pod\n"
    "  --with-mpirun DIRECTORY   put this program into the directory as mpirun, and the directory before PATH, then become the command\n"
    "  --hostfile FILE           wait for the SSH servers of these hosts before the image's own mpirun runs what that one cannot\n"
    "  --await-hosts HOSTFILE    wait for the SSH server of each host, then become the command\n"
    "  --timeout SECONDS         of that (default: 600)\n"
    "  --order FILE              write the hosts there in the order of the fabric, and have the command's variables name that file\n"
    "  --keep-environment FILE   write variables to the file, then become the command\n"
    "  --names NAME,...          which\n"
    "  --take-environment FILE   set those of the file, then become the command\n"
    "  --tool NAME               become a PMIx tool of pmixd's image, as pquery, which asks the PMIx server of this pod\n"
    "  --probe CODE              end with the code while no ranks run in this container, else become the command, or end with 0 without one\n"
    "  --running SECONDS         only once they have run for so long (default: 0)\n"
    "  --install PATH     copy this program to PATH\n"
    "  --ready            end with 0 if pmixd has the map of the job, else 1\n"
    "  --socket PATH      of pmixd (default: /run/fabric-operator/pmixd.sock)\n"
    "\n"
    "The exit code is that of the first rank that failed (128 + signal), else 0; 124: the job was not whole, or a host not there, in time,\n"
    "125: launcher or pmixd failed, 126 and 127: the command cannot be executed or was not found.\n";

static bool number(const char *text, long least, long most, long *value) {
    char *end;
    if (*text < '0' || *text > '9' || strlen(text) > 6) return false;
    *value = strtol(text, &end, 10);
    return *end == '\0' && *value >= least && *value <= most;
}

const char *options_parse(struct options *o, char **arguments) {
    memset(o, 0, sizeof *o);
    o->socket_path = "/run/fabric-operator/pmixd.sock";
    o->grace_seconds = 30;
    o->heap_mebibytes = "24";
    o->timeout_seconds = 600;
    bool chosen = false;
    const char *hostfile = NULL;
    long value;
    char **at = arguments;
    for (; *at != NULL && (*at)[0] == '-' && strcmp(*at, "--") != 0; at++) {
        const char *option = *at;
        bool takes_value = strcmp(option, "--ranks") == 0 || strcmp(option, "--serve-runs") == 0 || strcmp(option, "--with-mpirun") == 0 ||
                           strcmp(option, "--hostfile") == 0 || strcmp(option, "--grace") == 0 || strcmp(option, "--install") == 0 ||
                           strcmp(option, "--socket") == 0 || strcmp(option, "--pmixd") == 0 || strcmp(option, "--heap") == 0 ||
                           strcmp(option, "--await-hosts") == 0 || strcmp(option, "--timeout") == 0 || strcmp(option, "--names") == 0 || strcmp(option, "--bind") == 0 ||
                           strcmp(option, "--keep-environment") == 0 || strcmp(option, "--take-environment") == 0 || strcmp(option, "--tool") == 0 || strcmp(option, "--order") == 0 || strcmp(option, "--probe") == 0 ||
                           strcmp(option, "--running") == 0;
        if (takes_value && *++at == NULL) return "an option lacks its value";
        if (strcmp(option, "--tag") == 0) {
            o->tagged = true;
        } else if (strcmp(option, "--grace") == 0) {
            if (!number(*at, 0, 999999, &value)) return "--grace takes seconds";
            o->grace_seconds = (int)value;
        } else if (strcmp(option, "--socket") == 0) {
            o->socket_path = *at;
        } else if (strcmp(option, "--pmixd") == 0) {
            if (**at != '/') return "--pmixd takes an absolute path";
            o->image = *at;
        } else if (strcmp(option, "--heap") == 0) {
            if (!number(*at, 1, 999999, &value)) return "--heap takes MiB";
            o->heap_mebibytes = *at;
        } else if (strcmp(option, "--timeout") == 0) {
            if (!number(*at, 1, 999999, &value)) return "--timeout takes seconds";
            o->timeout_seconds = (int)value;
        } else if (strcmp(option, "--bind") == 0) {
            if (!bind_read(*at, strlen(*at), &o->bind)) return "--bind takes core, numa or none";
        } else if (strcmp(option, "--hostfile") == 0) {
            hostfile = *at;
        } else if (strcmp(option, "--order") == 0) {
            if (**at != '/') return "--order takes an absolute path";
            o->order = *at;
        } else if (strcmp(option, "--running") == 0) {
            if (!number(*at, 0, 999999, &value)) return "--running takes seconds";
            o->running_seconds = (int)value;
        } else if (strcmp(option, "--names") == 0) {
            o->names = *at;
        } else {
            if (chosen) return "more than one of --ranks, --serve-runs, --with-mpirun, --await-hosts, --keep-environment, --take-environment, --tool, --probe, --install, --ready, --help, --version";
            chosen = true;
            if (strcmp(option, "--ranks") == 0) {
                if (!number(*at, 1, RANKS_MAX, &value)) return "--ranks takes a number from 1 to " TEXT(RANKS_MAX);
                o->mode = MODE_RANKS;
                o->ranks = (uint32_t)value;
            } else if (strcmp(option, "--serve-runs") == 0) {
                if (!number(*at, 1, RANKS_MAX, &value)) return "--serve-runs takes a number from 1 to " TEXT(RANKS_MAX);
                o->mode = MODE_SERVE_RUNS;
                o->ranks = (uint32_t)value;
            } else if (strcmp(option, "--with-mpirun") == 0) {
                if (**at != '/') return "--with-mpirun takes an absolute path";
                o->mode = MODE_WITH_MPIRUN;
                o->directory = *at;
            } else if (strcmp(option, "--await-hosts") == 0) {
                o->mode = MODE_AWAIT_HOSTS;
                o->file = *at;
            } else if (strcmp(option, "--keep-environment") == 0) {
                o->mode = MODE_KEEP_ENVIRONMENT;
                o->file = *at;
            } else if (strcmp(option, "--take-environment") == 0) {
                o->mode = MODE_TAKE_ENVIRONMENT;
                o->file = *at;
            } else if (strcmp(option, "--tool") == 0) {
                if (**at == '\0' || strchr(*at, '/') != NULL) return "--tool takes a name";
                o->mode = MODE_TOOL;
                o->tool = *at;
            } else if (strcmp(option, "--probe") == 0) {
                if (!number(*at, 0, 1, &value)) return "--probe takes 0 or 1";
                o->mode = MODE_PROBE;
                o->code = (int)value;
            } else if (strcmp(option, "--install") == 0) {
                o->mode = MODE_INSTALL;
                o->install_path = *at;
            } else if (strcmp(option, "--ready") == 0) {
                o->mode = MODE_READY;
            } else if (strcmp(option, "--help") == 0) {
                o->mode = MODE_HELP;
            } else if (strcmp(option, "--version") == 0) {
                o->mode = MODE_VERSION;
            } else {
                return "unknown option";
            }
        }
    }
    if (!chosen) return "one of --ranks, --serve-runs, --with-mpirun, --await-hosts, --keep-environment, --take-environment, --tool, --probe, --install, --ready is needed";
    if (*at != NULL && strcmp(*at, "--") == 0) at++;
    o->command = at;
    if (o->mode <= MODE_TAKE_ENVIRONMENT && *at == NULL) return "no command";
    if (o->mode > MODE_PROBE && *at != NULL) return "more arguments than expected";
    if ((o->mode == MODE_SERVE_RUNS || o->mode == MODE_WITH_MPIRUN) && o->image == NULL) return "--serve-runs and --with-mpirun need --pmixd";
    if (o->mode == MODE_TOOL && o->image == NULL) return "--tool needs --pmixd";
    if (o->order != NULL && (o->mode != MODE_AWAIT_HOSTS || o->image == NULL)) return "--order is of --await-hosts, and needs --pmixd";
    if (o->running_seconds != 0 && o->mode != MODE_PROBE) return "--running is of --probe";
    if (o->bind != BIND_NONE && o->mode != MODE_RANKS) return "--bind is of --ranks";
    if (hostfile != NULL && o->mode != MODE_WITH_MPIRUN) return "--hostfile is of --with-mpirun";
    if (hostfile != NULL) o->file = hostfile;
    if (o->mode == MODE_KEEP_ENVIRONMENT && o->names == NULL) return "--keep-environment needs --names";
    return NULL;
}
