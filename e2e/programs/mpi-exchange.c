/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 *
 * MPI calls that need more of PMIx than fences: name publishing, MPI_Comm_accept and MPI_Comm_connect, sessions and communicators from
 * groups. The ranks of the lower half serve those of the upper half, so that every pod talks to another one.
 */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void require(int ok, const char *what)
{
    if (!ok) {
        printf("failed: %s\n", what);
        MPI_Abort(MPI_COMM_WORLD, 3);
    }
}

static void names_and_connections(void)
{
    int rank, size, half, answer = -1, remote;
    char port[MPI_MAX_PORT_NAME] = "", again[MPI_MAX_PORT_NAME];
    MPI_Comm side, other, merged;

    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    half = rank < size / 2 ? 0 : 1;
    MPI_Comm_split(MPI_COMM_WORLD, half, rank, &side);
    if (rank == 0) {
        MPI_Open_port(MPI_INFO_NULL, port);
        require(MPI_Publish_name("service", MPI_INFO_NULL, port) == MPI_SUCCESS, "MPI_Publish_name");
    }
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == size / 2) {
        require(MPI_Lookup_name("service", MPI_INFO_NULL, port) == MPI_SUCCESS && strlen(port) > 0, "MPI_Lookup_name");
    }
    if (half == 0) {
        require(MPI_Comm_accept(port, MPI_INFO_NULL, 0, side, &other) == MPI_SUCCESS, "MPI_Comm_accept");
    } else {
        require(MPI_Comm_connect(port, MPI_INFO_NULL, 0, side, &other) == MPI_SUCCESS, "MPI_Comm_connect");
    }
    MPI_Comm_remote_size(other, &remote);
    require(MPI_Intercomm_merge(other, half, &merged) == MPI_SUCCESS, "MPI_Intercomm_merge");
    MPI_Allreduce(&rank, &answer, 1, MPI_INT, MPI_SUM, merged);
    require(answer == size * (size - 1) / 2, "a sum over who is connected");
    MPI_Comm_free(&merged);
    MPI_Comm_disconnect(&other);
    if (rank == 0) {
        require(MPI_Unpublish_name("service", MPI_INFO_NULL, port) == MPI_SUCCESS, "MPI_Unpublish_name");
        MPI_Close_port(port);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    require(MPI_Lookup_name("service", MPI_INFO_NULL, again) != MPI_SUCCESS, "that an unpublished name is not found");
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL);
    MPI_Comm_free(&side);
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 0) printf("names and connections: ok, %d with %d\n", size / 2, remote);
}

static void sessions(void)
{
    int rank, size, sum = 0;
    MPI_Session session;
    MPI_Group group;
    MPI_Comm comm, twin;

    require(MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &session) == MPI_SUCCESS, "MPI_Session_init");
    require(MPI_Group_from_session_pset(session, "mpi://WORLD", &group) == MPI_SUCCESS, "MPI_Group_from_session_pset");
    for (int i = 0; i < 3; i++) {
        require(MPI_Comm_create_from_group(group, "same tag", MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &comm) == MPI_SUCCESS, "MPI_Comm_create_from_group");
        MPI_Comm_rank(comm, &rank);
        MPI_Comm_size(comm, &size);
        MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, comm);
        require(sum == size * (size - 1) / 2, "a sum over a communicator of a group");
        require(MPI_Comm_dup(comm, &twin) == MPI_SUCCESS, "MPI_Comm_dup");
        MPI_Barrier(twin);
        MPI_Comm_free(&twin);
        MPI_Comm_free(&comm);
    }
    MPI_Group_free(&group);
    MPI_Session_finalize(&session);
    if (rank == 0) printf("sessions: ok, %d ranks\n", size);
}

int main(int argc, char **argv)
{
    setvbuf(stdout, NULL, _IOLBF, 1 << 12);
    if (argc > 1 && strcmp(argv[1], "sessions") == 0) {
        sessions();
        return 0;
    }
    MPI_Init(&argc, &argv);
    names_and_connections();
    sessions();
    MPI_Finalize();
    return 0;
}
