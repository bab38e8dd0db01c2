/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
/*
 * Tells when a rank has come how far, for the launch figures: seconds since the epoch at main, past MPI_Init and past the
 * first Allreduce. usage: mpi-clock [SECONDS_TO_STAY]
 */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

static double now(void) {
    struct timespec time;
    clock_gettime(CLOCK_REALTIME, &time);
    return time.tv_sec + time.tv_nsec / 1e9;
}

int main(int argc, char **argv) {
    double begin = now();
    MPI_Init(&argc, &argv);
    double initialized = now();
    int rank, size;
    long one = 1, all = 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_Allreduce(&one, &all, 1, MPI_LONG, MPI_SUM, MPI_COMM_WORLD);
    double reduced = now();
    printf("clock rank=%d size=%d main=%.6f init=%.6f allreduce=%.6f\n", rank, size, begin, initialized, reduced);
    fflush(stdout);
    if (argc > 1) sleep(atoi(argv[1]));
    MPI_Finalize();
    return all == size ? 0 : 1;
}
