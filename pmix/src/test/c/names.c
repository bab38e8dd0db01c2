/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 *
 * The first rank publishes a name, and the last one finds what stands under it, which nobody has told it. No port is opened: Debian's MPICH 4.0.2, on UCX, has none.
 */
#include <mpi.h>
#include <stdio.h>

static void say(const char *what, int result) {
    int class = MPI_SUCCESS;
    MPI_Error_class(result, &class);
    printf("%s: %s\n", what, class == MPI_SUCCESS ? "done" : class == MPI_ERR_NAME ? "no name" : class == MPI_ERR_SERVICE ? "no service" : "failed");
    fflush(stdout);
}

int main(int argc, char **argv) {
    const char *port = "tag#0$description#10.0.0.1$100%$";
    char found[MPI_MAX_PORT_NAME] = "";
    int rank, size;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    if (rank == size - 1) say("lookup before", MPI_Lookup_name("ocean", MPI_INFO_NULL, found));
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 0) {
        say("publish", MPI_Publish_name("ocean", MPI_INFO_NULL, port));
        say("publish again", MPI_Publish_name("ocean", MPI_INFO_NULL, port));
        say("unpublish what is not", MPI_Unpublish_name("air", MPI_INFO_NULL, port));
    }
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == size - 1) {
        say("unpublish another's", MPI_Unpublish_name("ocean", MPI_INFO_NULL, port));
        say("lookup", MPI_Lookup_name("ocean", MPI_INFO_NULL, found));
        printf("found %s\n", found);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 0) say("unpublish", MPI_Unpublish_name("ocean", MPI_INFO_NULL, port));
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == size - 1) say("lookup after", MPI_Lookup_name("ocean", MPI_INFO_NULL, found));
    MPI_Finalize();
    return 0;
}
