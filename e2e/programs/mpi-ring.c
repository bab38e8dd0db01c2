/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
/*
 * Every rank sends BYTES to the next one, in pieces of 1 MB.
 *
 * usage: mpi-ring BYTES
 *
 * Rank 0 prints "ring: BYTES from each of N ranks to the next".
 */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

enum { PIECE = 1000000 };

int main(int argc, char **argv) {
    long bytes = argc < 2 ? 0 : atol(argv[1]);
    char *out = calloc(1, PIECE), *in = calloc(1, PIECE);
    int rank, size;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    if (out == NULL || in == NULL) {
        MPI_Abort(MPI_COMM_WORLD, 3);
    }
    for (long sent = 0; sent < bytes; sent += PIECE) {
        int piece = bytes - sent < PIECE ? (int)(bytes - sent) : PIECE;
        MPI_Sendrecv(out, piece, MPI_BYTE, (rank + 1) % size, 0, in, piece, MPI_BYTE, (rank + size - 1) % size, 0,
                     MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
    if (rank == 0) {
        printf("ring: %ld from each of %d ranks to the next\n", bytes, size);
    }
    MPI_Finalize();
    return 0;
}
