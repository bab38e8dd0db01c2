/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 *
 * Each rank appends a line to a file: nanoseconds in MPI_Init, and of processor time in it; where the variable EXCHANGES is set, of so many calls of MPI_Allreduce after it.
 */
#include <fcntl.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

static long now(clockid_t clock)
{
    struct timespec time;

    clock_gettime(clock, &time);
    return time.tv_sec * 1000000000L + time.tv_nsec;
}

int main(int argc, char **argv)
{
    if (argc != 2) return 2;
    long wall = now(CLOCK_MONOTONIC), processor = now(CLOCK_PROCESS_CPUTIME_ID);
    MPI_Init(&argc, &argv);
    if (getenv("EXCHANGES") != NULL) {
        int one = 1, sum;
        MPI_Barrier(MPI_COMM_WORLD);
        wall = now(CLOCK_MONOTONIC), processor = now(CLOCK_PROCESS_CPUTIME_ID);
        for (int left = atoi(getenv("EXCHANGES")); left > 0; left--) MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    }
    wall = now(CLOCK_MONOTONIC) - wall;
    processor = now(CLOCK_PROCESS_CPUTIME_ID) - processor;
    int file = open(argv[1], O_WRONLY | O_APPEND | O_CREAT, 0644);
    if (file < 0 || dprintf(file, "%ld %ld\n", wall, processor) < 0) return 1;
    return MPI_Finalize();
}
