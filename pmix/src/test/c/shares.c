/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 *
 * With how many ranks, itself among them, each rank shares its core, its L3 cache, its NUMA node and its host, as Open MPI sees it.
 */
#include <mpi.h>
#include <stdio.h>

static int sharing(int type)
{
    MPI_Comm comm;
    int size;

    MPI_Comm_split_type(MPI_COMM_WORLD, type, 0, MPI_INFO_NULL, &comm);
    MPI_Comm_size(comm, &size);
    MPI_Comm_free(&comm);
    return size;
}

int main(int argc, char **argv)
{
    int rank, core, l3, numa, host;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    core = sharing(OMPI_COMM_TYPE_CORE);
    l3 = sharing(OMPI_COMM_TYPE_L3CACHE);
    numa = sharing(OMPI_COMM_TYPE_NUMA);
    host = sharing(MPI_COMM_TYPE_SHARED);
    printf("shares %d core %d L3 %d numa %d host %d\n", rank, core, l3, numa, host);
    fflush(stdout);
    return MPI_Finalize();
}
