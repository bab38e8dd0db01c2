/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
/* Damaged, cut, repeated and shuffled text from pmixd: refused or taken, never read or written outside of what it owns. */

#include "block.h"
#include "check.h"
#include "link.h"
#include "mpirun.h"
#include "output.h"
#include "pmi.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

static const char GOOD[] =
    "ready team-a.ring-1a2b3c4d-0 6 2\nset PMIX_NAMESPACE=team-a.ring-1a2b3c4d-0\nset PMIX_SERVER_URI41=pmixd.0;tcp4://127.0.0.1:4711\n"
    "default UCX_NET_DEVICES=mlx5_0:1\nrank 6 PMIX_RANK=6\nrank 7 PMIX_RANK=7\nrankdefault 7 A=%25%0Ab\nwarn a sentence\ngo\n"
    "again\nhold\nstop 124 pods 3, 4 are missing\ndirectory -/tmp\nargument a%20b\nsignal 10\ninput a%00b%0A\ninput-end\nstarted\n"
    "output 1 2 %00%FF text\ntaken 17\npmi 4 0 lab.ring-0\nkept addr-0=tcp%3A//10.0.0.1\nfenced 0\nnamed 0 0 tag#0$\n";
static const char PMI_GOOD[] =
    "cmd=init pmi_version=2 pmi_subversion=0\ncmd=init pmi_version=1 pmi_subversion=1\ncmd=get_maxes\ncmd=get_my_kvsname\ncmd=put kvsname=lab.ring-0 key=addr-0 value=tcp://10.0.0.1\ncmd=barrier_in\n"
    "cmd=get kvsname=lab.ring-0 key=addr-0\nmcmd=spawn\nnprocs=1\nendcmd\ncmd=publish_name service=a port=b\ncmd=lookup_name service=a\ncmd=abort exitcode=7 message=no\ncmd=finalize\n";
static const char *const PIECES[] = {"ready ", "rank 4294967295 ", "%", "%0", "%00", "\n", "\n\n\n", "=", " ", "stop 999\n", "ready n 0 2\n", "set =", "go\n"};

static unsigned seed = 42;

static unsigned next(unsigned bound) {
    seed = seed * 1664525u + 1013904223u;
    return (seed >> 8) % bound;
}

static size_t mutate(char *text, size_t length, size_t capacity) {
    for (unsigned i = 0, n = 1 + next(6); i < n; i++) {
        size_t at = length > 0 ? next((unsigned)length) : 0;
        const char *piece = PIECES[next(sizeof PIECES / sizeof PIECES[0])];
        switch (next(5)) {
            case 0:
                if (length > 0) text[at] = (char)next(256);
                break;
            case 1:
                length = at;
                break;
            case 2:
                if (length + strlen(piece) < capacity) {
                    memmove(text + at + strlen(piece), text + at, length - at);
                    memcpy(text + at, piece, strlen(piece));
                    length += strlen(piece);
                }
                break;
            case 3: {
                size_t size = length - at < 200 ? length - at : next(200);
                if (length + size < capacity) {
                    memmove(text + at + size, text + at, length - at);
                    length += size;
                }
                break;
            }
            default:
                if (length > at + 10) {
                    memmove(text + at, text + at + 10, length - at - 10);
                    length -= 10;
                }
        }
    }
    return length;
}

static void feed(const char *text, size_t length, struct block *block, struct output *output, struct pmi *pmi) {
    int ends[2];
    struct link link;
    CHECK(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0, ends) == 0);
    link_init(&link);
    link.fd = ends[0];
    CHECK(write(ends[1], text, length) == (ssize_t)length);
    close(ends[1]);
    while (!link.ended) {
        char *line;
        size_t line_length;
        bool too_long;
        link_serve(&link, POLLIN);
        while ((line = link_line(&link, &line_length, &too_long)) != NULL) {
            struct message m;
            if (message_parse(line, line_length, &m) != NULL) continue;
            if (m.kind <= MESSAGE_RANK_DEFAULT || m.kind == MESSAGE_DIRECTORY || m.kind == MESSAGE_ARGUMENT) block_apply(block, &m);
            if (m.kind == MESSAGE_PMI) pmi_begin(pmi, m.number, m.app, m.text);
            if (m.kind == MESSAGE_KEPT) pmi_keep(pmi, m.text);
            if (m.kind == MESSAGE_FENCED) pmi_fenced(pmi, m.number == 0);
            if (m.kind == MESSAGE_NAMED) pmi_named(pmi, m.rank, m.number != 0, m.text);
            CHECK(m.text == NULL || strlen(m.text) <= line_length);
            CHECK(m.text_length <= line_length);
            if (m.kind == MESSAGE_OUTPUT) CHECK(output_take(output, m.rank % 64, m.number, m.text, m.text_length));
        }
    }
    link_close(&link);
}

static void mutations(void) {
    char text[8192];
    struct block block = {0};
    char *container[] = {"A=b", NULL};
    struct output output;
    struct pmi pmi = {0};
    int null = open("/dev/null", O_WRONLY);
    output_open(&output, null, null);
    output.tagged = true;
    for (int round = 0; round < 10000; round++) {
        memcpy(text, GOOD, sizeof GOOD - 1);
        size_t length = mutate(text, sizeof GOOD - 1, sizeof text);
        CHECK(round % 2 == 0 ? block_reset(&block, 2) : block_reset_any(&block));
        if (length > 0) feed(text, length, &block, &output, &pmi);
        free(block_command(&block));
        CHECK(block.ranks <= RANKS_MAX);
        for (uint32_t rank = 0; rank < block.ranks && rank < 2; rank++) {
            char **environment = block_environment(&block, rank, container);
            for (char **entry = environment; *entry != NULL; entry++) CHECK(strchr(*entry, '=') != NULL);
            free(environment);
        }
    }
    block_free(&block);
    pmi_close(&pmi);
    output_finish(&output, 1000);
    for (int i = 0; i < 2; i++) bytes_free(&output.sinks[i].queue);
    close(null);
}

/* What a rank says by PMI-1: no other rank is harmed, and pmixd is told whole lines. */
static void ranks_that_speak_pmi(void) {
    char text[8192], heard[4096];
    for (int round = 0; round < 3000; round++) {
        struct pmi pmi = {0};
        struct bytes told = BYTES_LIMITED(32 + next(1024));
        int theirs[2];
        pmi_begin(&pmi, 4, 0, "lab.ring-0");
        CHECK(pmi_open(&pmi, 2));
        for (uint32_t i = 0; i < 2; i++) theirs[i] = pmi_connect(&pmi, i);
        memcpy(text, PMI_GOOD, sizeof PMI_GOOD - 1);
        size_t length = mutate(text, sizeof PMI_GOOD - 1, sizeof text);
        CHECK(write(theirs[0], text, length) == (ssize_t)length);
        pmi_ended(&pmi, 0, &told);
        CHECK(write(theirs[1], "cmd=get_appnum\n", 15) == 15);
        struct bytes others = BYTES_LIMITED(1024);
        pmi_ended(&pmi, 1, &others);
        bytes_free(&others);
        CHECK(read(theirs[1], heard, sizeof heard) == 25);
        const char *at = bytes_first(&told), *end = at + bytes_length(&told);
        while (at < end) {
            CHECK(strncmp(at, "pmi-", 4) == 0);
            at = memchr(at, '\n', (size_t)(end - at));
            CHECK(at++ != NULL);
        }
        for (int i = 0; i < 2; i++) close(theirs[i]);
        pmi_close(&pmi);
        bytes_free(&told);
    }
}

/* Words of users: taken or refused with a sentence. */
static void command_lines(void) {
    static char *WORDS[] = {"-n", "4", "--map-by", "ppr:2:node", ":OVERSUBSCRIBE", "slot:::", "-x", "A*", "*", "=", "B=c", "-mca", "rmaps_base_mapping_policy", "--output", "tag,,",
                            "--", ":", "-", "--wdir=", "--np=3", "-host", "a:1", "--timeout", "99999999", "sh", "", "ppr:", "ppr:1:node:x"};
    char *environment[] = {"A1=b", "AA=", "OMPI_MCA_rmaps_base_oversubscribe=1", "odd", NULL};
    for (int round = 0; round < 20000; round++) {
        char *words[8] = {NULL};
        struct mpirun m;
        for (unsigned i = 0, n = next(8); i < n; i++) words[i] = WORDS[next(sizeof WORDS / sizeof WORDS[0])];
        enum mpirun_verdict verdict = mpirun_parse(&m, words, environment);
        CHECK(verdict == MPIRUN_UNDERSTOOD ? m.command != NULL && m.command[0] != NULL : verdict == MPIRUN_REFUSED && *m.refusal != '\0');
        mpirun_free(&m);
    }
}

static void a_line_without_end_is_noticed(void) {
    int ends[2];
    struct link link;
    char *text = calloc(1, LINE_BYTES_MAX + 1);
    memset(text, 'x', LINE_BYTES_MAX + 1);
    CHECK(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0, ends) == 0);
    link_init(&link);
    link.fd = ends[0];
    size_t sent = 0, length;
    bool too_long = false;
    while (!too_long) {
        ssize_t n = write(ends[1], text + sent, LINE_BYTES_MAX + 1 - sent);
        if (n > 0) sent += (size_t)n;
        link_serve(&link, POLLIN);
        CHECK(link_line(&link, &length, &too_long) == NULL);
    }
    CHECK(sent == LINE_BYTES_MAX + 1 && link_events(&link) == 0);
    free(text);
    close(ends[1]);
    link_close(&link);
}

void test_fuzz(void) {
    mutations();
    command_lines();
    ranks_that_speak_pmi();
    a_line_without_end_is_noticed();
}
