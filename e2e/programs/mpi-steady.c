/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
/*
 * Ranks that go on until something happens to them: an Allreduce with a checked sum every 50 ms, for SECONDS in the job's first
 * attempt and SECONDS_LATER in those after it (the number behind the last '-' of the PMIx namespace), or until rank 0 finds the
 * file /steady-ends.
 *
 * usage: mpi-steady SECONDS SECONDS_LATER
 *
 * Every rank prints "steady: attempt A rank R of N begins" when all have begun, rank 0 at the end "steady: attempt A, all sums ok".
 */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int main(int argc, char **argv) {
    const char *nspace = getenv("PMIX_NAMESPACE");
    const char *dash = nspace == NULL ? NULL : strrchr(nspace, '-');
    int attempt = dash == NULL ? 0 : atoi(dash + 1);
    double seconds = argc < 3 ? 0 : atof(argv[attempt == 0 ? 1 : 2]);
    int rank, size;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_Barrier(MPI_COMM_WORLD);
    printf("steady: attempt %d rank %d of %d begins\n", attempt, rank, size);
    fflush(stdout);
    double end = MPI_Wtime() + seconds;
    for (long round = 0;; round++) {
        /* Rank 0 alone says when it is over: clocks differ. */
        long mine[2] = {round + rank, rank == 0 && (MPI_Wtime() >= end || access("/steady-ends", F_OK) == 0)}, all[2];
        MPI_Allreduce(mine, all, 2, MPI_LONG, MPI_SUM, MPI_COMM_WORLD);
        if (all[0] != round * size + (long)size * (size - 1) / 2) {
            fprintf(stderr, "steady: rank %d: wrong sum in round %ld\n", rank, round);
            MPI_Abort(MPI_COMM_WORLD, 1);
        }
        if (all[1] != 0) break;
        usleep(50 * 1000);
    }
    if (rank == 0) printf("steady: attempt %d, all sums ok\n", attempt);
    MPI_Finalize();
    return 0;
}
