/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
/*
 * Every rank passes a token round a ring twice, then all prove that Open MPI sees the job as it is: its size, its nodes
 * (one for each pod), and its neighbours in shared memory.
 *
 * usage: mpi-proof RANKS_PER_NODE
 *
 * Rank 0 prints one line "proof: ring ok, ...", and one "places: NAME NAME ..." with each rank's processor name in the order of ranks; a rank that finds something else says what, and ends with 1.
 */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int rank, size;

static void fail(const char *what, long expected, long found) {
    fprintf(stderr, "proof: rank %d of %d: %s: expected %ld, found %ld\n", rank, size, what, expected, found);
    MPI_Abort(MPI_COMM_WORLD, 1);
}

static void expect(const char *what, long expected, long found) {
    if (expected != found) fail(what, expected, found);
}

static void ring(void) {
    int next = (rank + 1) % size, before = (rank + size - 1) % size;
    for (int round = 0; round < 2; round++) {
        long token = 0;
        if (rank == 0) {
            token = 1000L * round;
            MPI_Send(&token, 1, MPI_LONG, next, round, MPI_COMM_WORLD);
            MPI_Recv(&token, 1, MPI_LONG, before, round, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            expect("token", 1000L * round + size - 1, token);
        } else {
            MPI_Recv(&token, 1, MPI_LONG, before, round, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            expect("token", 1000L * round + rank - 1, token);
            token++;
            MPI_Send(&token, 1, MPI_LONG, next, round, MPI_COMM_WORLD);
        }
    }
}

/* Element i of rank r is r * 1000 + i, so that every sum is known beforehand. */
static long element(int of, int i) { return of * 1000L + i; }

static long sum_at(int i) { return 1000L * size * (size - 1) / 2 + (long)size * i; }

static void reductions(int count) {
    long *mine = malloc(count * sizeof *mine), *out = malloc(count * sizeof *out);
    for (int i = 0; i < count; i++) mine[i] = element(rank, i);
    MPI_Allreduce(mine, out, count, MPI_LONG, MPI_SUM, MPI_COMM_WORLD);
    for (int i = 0; i < count; i++) expect("allreduce", sum_at(i), out[i]);
    memset(out, 0, count * sizeof *out);
    MPI_Reduce(mine, out, count, MPI_LONG, MPI_SUM, size - 1, MPI_COMM_WORLD);
    if (rank == size - 1)
        for (int i = 0; i < count; i++) expect("reduce", sum_at(i), out[i]);
    MPI_Scan(mine, out, count, MPI_LONG, MPI_SUM, MPI_COMM_WORLD);
    for (int i = 0; i < count; i++)
        expect("scan", 1000L * rank * (rank + 1) / 2 + (rank + 1L) * i, out[i]);
    MPI_Exscan(mine, out, count, MPI_LONG, MPI_SUM, MPI_COMM_WORLD);
    if (rank > 0)
        for (int i = 0; i < count; i++) expect("exscan", 1000L * rank * (rank - 1) / 2 + (long)rank * i, out[i]);
    free(mine);
    free(out);
}

static void reduce_scatters(void) {
    long *mine = malloc(size * sizeof *mine), out = -1;
    int *counts = malloc(size * sizeof *counts);
    for (int i = 0; i < size; i++) {
        mine[i] = element(rank, i);
        counts[i] = 1;
    }
    MPI_Reduce_scatter(mine, &out, counts, MPI_LONG, MPI_SUM, MPI_COMM_WORLD);
    expect("reduce_scatter", sum_at(rank), out);
    MPI_Reduce_scatter_block(mine, &out, 1, MPI_LONG, MPI_SUM, MPI_COMM_WORLD);
    expect("reduce_scatter_block", sum_at(rank), out);
    free(mine);
    free(counts);
}

static void broadcasts(int count) {
    long *data = malloc(count * sizeof *data);
    for (int root = 0; root < size; root++) {
        for (int i = 0; i < count; i++) data[i] = rank == root ? element(root, i) : -1;
        MPI_Bcast(data, count, MPI_LONG, root, MPI_COMM_WORLD);
        for (int i = 0; i < count; i++) expect("bcast", element(root, i), data[i]);
    }
    free(data);
}

static void gathers(void) {
    long mine = element(rank, 7), *all = malloc(size * sizeof *all), out = -1;
    int *counts = malloc(size * sizeof *counts), *places = malloc(size * sizeof *places);
    for (int i = 0; i < size; i++) {
        counts[i] = 1;
        places[i] = size - 1 - i;
    }
    MPI_Gather(&mine, 1, MPI_LONG, all, 1, MPI_LONG, 0, MPI_COMM_WORLD);
    if (rank == 0)
        for (int i = 0; i < size; i++) expect("gather", element(i, 7), all[i]);
    MPI_Allgather(&mine, 1, MPI_LONG, all, 1, MPI_LONG, MPI_COMM_WORLD);
    for (int i = 0; i < size; i++) expect("allgather", element(i, 7), all[i]);
    MPI_Allgatherv(&mine, 1, MPI_LONG, all, counts, places, MPI_LONG, MPI_COMM_WORLD);
    for (int i = 0; i < size; i++) expect("allgatherv", element(size - 1 - i, 7), all[i]);
    for (int i = 0; i < size; i++) all[i] = element(i, 9);
    MPI_Scatter(all, 1, MPI_LONG, &out, 1, MPI_LONG, 0, MPI_COMM_WORLD);
    expect("scatter", element(rank, 9), out);
    free(all);
    free(counts);
    free(places);
}

static void exchanges(int count) {
    long *out = malloc((size_t)size * count * sizeof *out), *in = malloc((size_t)size * count * sizeof *in);
    for (int to = 0; to < size; to++)
        for (int i = 0; i < count; i++) out[to * count + i] = element(rank, to * count + i);
    MPI_Alltoall(out, count, MPI_LONG, in, count, MPI_LONG, MPI_COMM_WORLD);
    for (int from = 0; from < size; from++)
        for (int i = 0; i < count; i++) expect("alltoall", element(from, rank * count + i), in[from * count + i]);
    free(out);
    free(in);
}

static int nodes(int ranks_per_node) {
    MPI_Comm shared, leaders;
    int local, local_rank, count = 0;
    MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, rank, MPI_INFO_NULL, &shared);
    MPI_Comm_size(shared, &local);
    MPI_Comm_rank(shared, &local_rank);
    expect("ranks that share memory", ranks_per_node, local);
    expect("rank among them", rank % ranks_per_node, local_rank);
    MPI_Comm_split(MPI_COMM_WORLD, local_rank == 0 ? 0 : MPI_UNDEFINED, rank, &leaders);
    if (leaders != MPI_COMM_NULL) {
        MPI_Comm_size(leaders, &count);
        MPI_Comm_free(&leaders);
    }
    MPI_Bcast(&count, 1, MPI_INT, 0, MPI_COMM_WORLD);
    expect("nodes", size / ranks_per_node, count);
    /* What one writes the others read, without a message. */
    MPI_Win window;
    long *base;
    MPI_Win_allocate_shared(sizeof *base, sizeof *base, MPI_INFO_NULL, shared, &base, &window);
    MPI_Win_lock_all(0, window);
    *base = element(rank, 3);
    MPI_Win_sync(window);
    MPI_Barrier(shared);
    MPI_Win_sync(window);
    for (int of = 0; of < local; of++) {
        MPI_Aint bytes;
        int unit;
        long *theirs;
        MPI_Win_shared_query(window, of, &bytes, &unit, &theirs);
        expect("shared memory", element(rank - local_rank + of, 3), *theirs);
    }
    MPI_Win_unlock_all(window);
    MPI_Win_free(&window);
    MPI_Comm_free(&shared);
    return count;
}

static void places(void) {
    char name[MPI_MAX_PROCESSOR_NAME] = "";
    int length;
    char *all = calloc(size, sizeof name);
    MPI_Get_processor_name(name, &length);
    MPI_Gather(name, sizeof name, MPI_CHAR, all, sizeof name, MPI_CHAR, 0, MPI_COMM_WORLD);
    if (rank == 0) {
        printf("places:");
        for (int of = 0; of < size; of++) printf(" %s", all + of * sizeof name);
        printf("\n");
    }
    free(all);
}

int main(int argc, char **argv) {
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    int ranks_per_node = argc > 1 ? atoi(argv[1]) : 1;
    /* Small ones go eagerly, large ones by rendezvous. */
    for (int count = 1; count <= 20000; count *= 20000) {
        reductions(count);
        broadcasts(count);
        exchanges(count > 1 ? 5000 : 1);
    }
    ring();
    reduce_scatters();
    gathers();
    places();
    int found = nodes(ranks_per_node);
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 0) printf("proof: ring ok, collectives ok, %d ranks on %d nodes\n", size, found);
    MPI_Finalize();
    return 0;
}
