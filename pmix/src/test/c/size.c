/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
/* Says which MPI it was started with, and how many ranks that sees. */
#include <mpi.h>
#include <stdio.h>
#include <string.h>

int main(int argc, char **argv) {
    char library[MPI_MAX_LIBRARY_VERSION_STRING];
    int rank, size, length;
    MPI_Init(&argc, &argv);
    MPI_Get_library_version(library, &length);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    library[strcspn(library, " \t:\n")] = '\0';
    printf("%s: rank %d of %d\n", library, rank, size);
    MPI_Finalize();
    return 0;
}
