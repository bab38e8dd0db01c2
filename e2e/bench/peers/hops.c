/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 *
 * The least work that turns a dump of ibnetdiscover into hops between all devices: one pass over the bytes, ids in an
 * open hash table, breadth-first searches over the switches from those that hold devices, nothing checked, nothing
 * named, nothing classified. What a program can hope to reach, not one to use.
 *
 * Speaks the protocol of the benchmark: prints "ready NAME" once, then for each line of standard input does one run and prints
 *   <parse ns> <search ns> <CPU ns of both> <devices> <sum of hops over ordered pairs of devices>
 *
 * cc -O3 -march=native -o hops hops.c && echo run | ./hops FILE
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { SWITCH_LETTER = 'S', SLOTS = 1 << 18, MOST = 1 << 16 };

static struct {
    uint64_t key[SLOTS];
    int32_t node[SLOTS];
} table;

static struct {
    int nodes, cables;
    char letter[MOST];
    int from[1 << 20], to[1 << 20];
} dump;

static int64_t now(clockid_t clock) {
    struct timespec t;
    clock_gettime(clock, &t);
    return t.tv_sec * 1000000000LL + t.tv_nsec;
}

static int node(uint64_t guid, char letter) {
    uint32_t at = (uint32_t)((guid * 0x9e3779b97f4a7c15ULL) >> 46);
    while (table.key[at] != 0) {
        if (table.key[at] == guid) {
            return table.node[at];
        }
        at = (at + 1) & (SLOTS - 1);
    }
    table.key[at] = guid;
    table.node[at] = dump.nodes;
    dump.letter[dump.nodes] = letter;
    return dump.nodes++;
}

/* The id at p, which stands on the letter of "S-0123456789abcdef". */
static int named(const char *p) {
    uint64_t guid = 0;
    for (int i = 2; i < 18; i++) {
        guid = guid << 4 | ((p[i] & 15) + (p[i] >> 6) * 9);
    }
    return node(guid, p[0]);
}

static void parse(const char *p, const char *end) {
    memset(table.key, 0, sizeof table.key);
    dump.nodes = dump.cables = 0;
    int current = -1;
    while (p < end) {
        const char *line = p;
        p = memchr(p, '\n', end - p);
        p = p == NULL ? end : p + 1;
        if (*line == '[') {
            const char *quote = memchr(line, '"', p - line);
            dump.from[dump.cables] = current;
            dump.to[dump.cables++] = named(quote + 1);
        } else if (*line == 'S' || *line == 'C') {
            current = named((const char *)memchr(line, '"', p - line) + 1);
        }
    }
}

static int64_t search(int *devices) {
    static int first[MOST + 1], far[1 << 20], fill[MOST], held[MOST], depth[MOST], queue[MOST];
    memset(first, 0, (dump.nodes + 1) * sizeof *first);
    memset(held, 0, dump.nodes * sizeof *held);
    *devices = 0;
    for (int c = 0; c < dump.cables; c++) {
        int from = dump.from[c], to = dump.to[c];
        if (dump.letter[from] == SWITCH_LETTER) {
            if (dump.letter[to] == SWITCH_LETTER) {
                first[from + 1]++;
            } else {
                held[from]++;
                ++*devices;
            }
        }
    }
    for (int n = 0; n < dump.nodes; n++) {
        first[n + 1] += first[n];
        fill[n] = first[n];
    }
    for (int c = 0; c < dump.cables; c++) {
        int from = dump.from[c], to = dump.to[c];
        if (dump.letter[from] == SWITCH_LETTER && dump.letter[to] == SWITCH_LETTER) {
            far[fill[from]++] = to;
        }
    }
    int64_t sum = 0;
    for (int source = 0; source < dump.nodes; source++) {
        if (held[source] == 0) {
            continue;
        }
        memset(depth, -1, dump.nodes * sizeof *depth);
        int filled = 1;
        int64_t row = -2;
        queue[0] = source;
        depth[source] = 0;
        for (int i = 0; i < filled; i++) {
            int at = queue[i];
            row += (int64_t)held[at] * (depth[at] + 2);
            for (int n = first[at]; n < first[at + 1]; n++) {
                if (depth[far[n]] < 0) {
                    depth[far[n]] = depth[at] + 1;
                    queue[filled++] = far[n];
                }
            }
        }
        sum += row * held[source];
    }
    return sum;
}

static char *contents(const char *file, size_t *length) {
    FILE *in = fopen(file, "rb");
    if (in == NULL) {
        return NULL;
    }
    fseek(in, 0, SEEK_END);
    *length = (size_t)ftell(in);
    rewind(in);
    char *text = malloc(*length + 32);
    if (text != NULL && fread(text, 1, *length, in) != *length) {
        free(text);
        text = NULL;
    }
    fclose(in);
    return text;
}

int main(int count, char **arguments) {
    char word[64];
    printf("ready C reference\n");
    fflush(stdout);
    while (count == 2 && fgets(word, sizeof word, stdin) != NULL) {
        int64_t start = now(CLOCK_MONOTONIC), cpu = now(CLOCK_PROCESS_CPUTIME_ID);
        size_t length = 0;
        char *text = contents(arguments[1], &length);
        if (text == NULL) {
            perror(arguments[1]);
            return 1;
        }
        parse(text, text + length);
        free(text);
        int64_t parsed = now(CLOCK_MONOTONIC);
        int devices;
        int64_t sum = search(&devices);
        int64_t end = now(CLOCK_MONOTONIC);
        cpu = now(CLOCK_PROCESS_CPUTIME_ID) - cpu;
        printf("%lld %lld %lld %d %lld\n", (long long)(parsed - start), (long long)(end - parsed), (long long)cpu, devices, (long long)sum);
        fflush(stdout);
    }
    return 0;
}
