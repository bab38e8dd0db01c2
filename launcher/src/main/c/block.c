/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "block.h"

#include <stdlib.h>
#include <string.h>

static void variables_free(struct variables *v) {
    for (size_t i = 0; i < v->count; i++) free(v->entries[i]);
    free(v->entries);
    memset(v, 0, sizeof *v);
}

void block_free(struct block *block) {
    variables_free(&block->set);
    variables_free(&block->defaults);
    variables_free(&block->arguments);
    free(block->directory);
    for (uint32_t i = 0; i < block->ranks; i++) {
        if (block->rank_set != NULL) variables_free(&block->rank_set[i]);
        if (block->rank_defaults != NULL) variables_free(&block->rank_defaults[i]);
    }
    free(block->rank_set);
    free(block->rank_defaults);
    memset(block, 0, sizeof *block);
}

bool block_reset(struct block *block, uint32_t ranks) {
    block_free(block);
    block->ranks = ranks;
    block->rank_set = calloc(ranks, sizeof *block->rank_set);
    block->rank_defaults = calloc(ranks, sizeof *block->rank_defaults);
    return block->rank_set != NULL && block->rank_defaults != NULL;
}

bool block_reset_any(struct block *block) {
    bool done = block_reset(block, RANKS_MAX);
    block->any_ranks = true;
    return done;
}

char **block_command(const struct block *block) {
    size_t count = block->arguments.count;
    char **command = count > 0 ? calloc(count + 1, sizeof *command) : NULL;
    if (command != NULL) memcpy(command, block->arguments.entries, count * sizeof *command);
    return command;
}

static const char *add(struct block *block, struct variables *v, size_t count_max, const char *text) {
    size_t size = strlen(text) + 1;
    if (v->count >= count_max) return "too many of them";
    if (size > BLOCK_BYTES_MAX - block->bytes) return "they are too large";
    if (v->count == v->capacity) {
        size_t capacity = v->capacity > 0 ? v->capacity * 2 : 16;
        char **entries = realloc(v->entries, capacity * sizeof *entries);
        if (entries == NULL) return "out of memory";
        v->entries = entries;
        v->capacity = capacity;
    }
    char *entry = strdup(text);
    if (entry == NULL) return "out of memory";
    v->entries[v->count++] = entry;
    block->bytes += size;
    return NULL;
}

static const char *open_block(struct block *block, const struct message *m) {
    if (block->open) return "ready comes twice";
    if (block->any_ranks) block->ranks = m->rank_count;
    if (m->rank_count != block->ranks) return "ready counts other ranks than the command line";
    block->open = true;
    block->first_rank = m->rank;
    strcpy(block->nspace, m->text);
    return NULL;
}

static const char *add_directory(struct block *block, const char *text) {
    if (block->directory != NULL) return "directory comes twice";
    block->directory = strdup(text);
    return block->directory != NULL ? NULL : "out of memory";
}

const char *block_apply(struct block *block, const struct message *m) {
    if (m->kind == MESSAGE_READY) return open_block(block, m);
    if (!block->open) return "variables come before ready";
    uint32_t local = m->rank - block->first_rank;
    switch (m->kind) {
        case MESSAGE_SET:
            return add(block, &block->set, VARIABLES_MAX, m->text);
        case MESSAGE_DEFAULT:
            return add(block, &block->defaults, VARIABLES_MAX, m->text);
        case MESSAGE_RANK:
        case MESSAGE_RANK_DEFAULT:
            if (m->rank < block->first_rank || local >= block->ranks) return "a rank that is not of this pod";
            return add(block, m->kind == MESSAGE_RANK ? &block->rank_set[local] : &block->rank_defaults[local], RANK_VARIABLES_MAX, m->text);
        case MESSAGE_BIND:
            if (!block->any_ranks) return "the command line says how ranks are bound";
            return bind_read(m->text, strlen(m->text), &block->bind) ? NULL : "bind is neither core, numa nor none";
        case MESSAGE_DIRECTORY:
        case MESSAGE_ARGUMENT:
            if (!block->any_ranks) return "the command line says what runs";
            return m->kind == MESSAGE_ARGUMENT ? add(block, &block->arguments, ARGUMENTS_MAX, m->text) : add_directory(block, m->text);
        default:
            return "not a part of the block";
    }
}

static bool same_name(const char *a, const char *b) {
    while (*a == *b && *a != '=' && *a != '\0') {
        a++;
        b++;
    }
    return (*a == '=' || *a == '\0') && (*b == '=' || *b == '\0');
}

/* Adds those whose name is not there yet. Within one list the last one of a name counts. */
static void add_missing(char **all, size_t *count, char *const *entries, size_t entry_count) {
    for (size_t i = entry_count; i-- > 0;) {
        bool there = false;
        for (size_t j = 0; j < *count && !there; j++) there = same_name(all[j], entries[i]);
        if (!there) all[(*count)++] = entries[i];
    }
}

char **block_environment(const struct block *block, uint32_t local_rank, char *const container[]) {
    size_t container_count = 0;
    while (container[container_count] != NULL) container_count++;
    const struct variables *rank_set = &block->rank_set[local_rank];
    const struct variables *rank_defaults = &block->rank_defaults[local_rank];
    size_t most = rank_set->count + block->set.count + container_count + rank_defaults->count + block->defaults.count;
    char **all = calloc(most + 1, sizeof *all);
    if (all == NULL) return NULL;
    size_t count = 0;
    add_missing(all, &count, rank_set->entries, rank_set->count);
    add_missing(all, &count, block->set.entries, block->set.count);
    add_missing(all, &count, container, container_count);
    add_missing(all, &count, rank_defaults->entries, rank_defaults->count);
    add_missing(all, &count, block->defaults.entries, block->defaults.count);
    return all;
}
