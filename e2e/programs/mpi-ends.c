/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
/*
 * One rank ends in some way while the others want to go on.
 *
 * usage: mpi-ends WHEN HOW RANK
 *
 * WHEN  before: the others are in MPI_Init or on their way there
 *       waiting: they do something else, and ask for nothing
 *       collective: they are in MPI_Barrier, after every rank has had a message from every other
 *       finalized: MPI_Finalize has returned in all of them
 * HOW   exit:CODE, abort:CODE by MPI_Abort, signal:NUMBER
 */
#include <mpi.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

enum { MOMENT_US = 200 * 1000 };

static void end(const char *how) {
    const char *colon = strchr(how, ':');
    int number = atoi(colon + 1);
    if (strncmp(how, "exit", 4) == 0) _exit(number);
    if (strncmp(how, "abort", 5) == 0) MPI_Abort(MPI_COMM_WORLD, number);
    /* Open MPI has a handler of its own for some, which would print a trace first. */
    signal(number, SIG_DFL);
    raise(number);
    _exit(99);
}

int main(int argc, char **argv) {
    if (argc != 4) return 98;
    const char *when = argv[1], *how = argv[2], *number = getenv("PMIX_RANK");
    int rank = atoi(number != NULL ? number : "0"), ends = atoi(argv[3]), size;
    struct rlimit none = {0, 0};
    setrlimit(RLIMIT_CORE, &none);
    if (rank == ends && strcmp(when, "before") == 0) {
        usleep(MOMENT_US);
        end(how);
    }
    MPI_Init(&argc, &argv);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    int *all = calloc(2 * size, sizeof *all);
    MPI_Alltoall(all, 1, MPI_INT, all + size, 1, MPI_INT, MPI_COMM_WORLD);
    if (strcmp(when, "finalized") == 0) {
        MPI_Finalize();
        if (rank == ends) end(how);
        return 0;
    }
    if (rank == ends) {
        usleep(MOMENT_US);
        end(how);
    }
    if (strcmp(when, "waiting") == 0) pause();
    MPI_Barrier(MPI_COMM_WORLD);
    return 97;
}
