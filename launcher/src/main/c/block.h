/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef FABRIC_BLOCK_H
#define FABRIC_BLOCK_H

#include "bind.h"
#include "message.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Job-wide variables, and those of one rank, at most; and all their bytes together. */
enum { VARIABLES_MAX = 4096, RANK_VARIABLES_MAX = 1024, ARGUMENTS_MAX = 65536, BLOCK_BYTES_MAX = 8 * 1024 * 1024 };

struct variables {
    char **entries; /* NAME=value */
    size_t count;
    size_t capacity;
};

/* What pmixd tells between `ready` and `go`: the ranks of this pod in one attempt of the job, and their environment. */
struct block {
    uint32_t ranks; /* of this pod, as the command line says; with `any_ranks` at most so many, until `ready` says how many */
    bool any_ranks; /* what runs is told, too */
    bool open;
    char nspace[NSPACE_BYTES_MAX + 1];
    uint32_t first_rank;
    char *directory;            /* of the ranks, NULL: that of the container; "-" before it: unless it is not there */
    struct variables arguments; /* with any_ranks: their command */
    enum bind bind;             /* likewise: to what they are bound */
    struct variables set;
    struct variables defaults;
    struct variables *rank_set;      /* by local rank */
    struct variables *rank_defaults; /* by local rank */
    size_t bytes;
};

/* Forgets what was told so far and takes memory for `ranks` ranks; false without memory. */
bool block_reset(struct block *block, uint32_t ranks);
/* The same for a pod whose ranks and command are told each time. */
bool block_reset_any(struct block *block);
void block_free(struct block *block);

/* The command that was told: its words, NULL at the end; NULL if there is none. To be freed, its strings borrowed. */
char **block_command(const struct block *block);

/* Takes one of ready, set, default, rank, rankdefault, directory, argument, bind. Returns NULL, or a sentence on why it does not fit. */
const char *block_apply(struct block *block, const struct message *message);

/*
 * The environment of a local rank. What is told for the rank wins over what is told for all, that over the
 * container's, and the container's over defaults: a user's or an image's value is never lost to one.
 * An array to be freed, its strings borrowed from the block and from `container`; NULL without memory.
 */
char **block_environment(const struct block *block, uint32_t local_rank, char *const container[]);

#endif
