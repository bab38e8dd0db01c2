/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 *
 * Prints pi by the midpoint rule, of which each rank sums every size-th interval, and on how many hosts ranks are.
 */
#include <mpi.h>
#include <stdio.h>

enum { INTERVALS = 1000000 };

int main(int argc, char **argv) {
    int rank, size, local, first, hosts = 0;
    MPI_Comm host;
    double part = 0, sum = 0;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, rank, MPI_INFO_NULL, &host);
    MPI_Comm_rank(host, &local);
    first = local == 0;
    for (int i = rank; i < INTERVALS; i += size) {
        double x = (i + 0.5) / INTERVALS;
        part += 4 / (1 + x * x);
    }
    MPI_Reduce(&part, &sum, 1, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD);
    MPI_Reduce(&first, &hosts, 1, MPI_INT, MPI_SUM, 0, MPI_COMM_WORLD);
    if (rank == 0) printf("pi is approximately %.8f by %d ranks on %d hosts\n", sum / INTERVALS, size, hosts);
    return MPI_Finalize();
}
