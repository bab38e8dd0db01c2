/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 *
 * Prints pi by the midpoint rule, of which each rank sums every size-th interval.
 */
#include <mpi.h>
#include <stdio.h>

enum { INTERVALS = 1000000 };

int main(int argc, char **argv) {
    int rank, size;
    double part = 0, sum = 0;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    for (int i = rank; i < INTERVALS; i += size) {
        double x = (i + 0.5) / INTERVALS;
        part += 4 / (1 + x * x);
    }
    MPI_Reduce(&part, &sum, 1, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD);
    if (rank == 0) printf("pi is approximately %.8f by %d ranks\n", sum / INTERVALS, size);
    return MPI_Finalize();
}
