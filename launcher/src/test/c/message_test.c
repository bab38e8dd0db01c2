/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "message.h"

#include "check.h"

static char line[512];

static const char *parse(const char *text, struct message *m) {
    strcpy(line, text);
    return message_parse(line, strlen(line), m);
}

static void reads_every_kind(void) {
    struct message m;
    CHECK(parse("ready ns.job-1a2b-0 6 2", &m) == NULL);
    CHECK(m.kind == MESSAGE_READY && m.rank == 6 && m.rank_count == 2);
    CHECK_TEXT(m.text, "ns.job-1a2b-0");
    CHECK(parse("set A=b c", &m) == NULL && m.kind == MESSAGE_SET);
    CHECK_TEXT(m.text, "A=b c");
    CHECK(parse("default A=", &m) == NULL && m.kind == MESSAGE_DEFAULT);
    CHECK(parse("rank 7 PMIX_RANK=7", &m) == NULL && m.kind == MESSAGE_RANK && m.rank == 7);
    CHECK_TEXT(m.text, "PMIX_RANK=7");
    CHECK(parse("rankdefault 7 X=%0Ay%25", &m) == NULL && m.kind == MESSAGE_RANK_DEFAULT);
    CHECK_TEXT(m.text, "X=\ny%");
    CHECK(parse("go", &m) == NULL && m.kind == MESSAGE_GO);
    CHECK(parse("again", &m) == NULL && m.kind == MESSAGE_AGAIN);
    CHECK(parse("hold", &m) == NULL && m.kind == MESSAGE_HOLD);
    CHECK(parse("stop 124 pods 3 and 4 are missing", &m) == NULL && m.kind == MESSAGE_STOP && m.number == 124);
    CHECK_TEXT(m.text, "pods 3 and 4 are missing");
    CHECK(parse("stop 0", &m) == NULL && m.number == 0);
    CHECK_TEXT(m.text, "");
    CHECK(parse("warn slow", &m) == NULL && m.kind == MESSAGE_WARN);
    CHECK(parse("ready ns 1 0", &m) == NULL && m.rank_count == 0);
    CHECK(parse("directory -/a b", &m) == NULL && m.kind == MESSAGE_DIRECTORY);
    CHECK_TEXT(m.text, "-/a b");
    CHECK(parse("argument ", &m) == NULL && m.kind == MESSAGE_ARGUMENT);
    CHECK_TEXT(m.text, "");
    CHECK(parse("signal 10", &m) == NULL && m.kind == MESSAGE_SIGNAL && m.number == 10);
    CHECK(parse("started", &m) == NULL && m.kind == MESSAGE_STARTED);
    CHECK(parse("taken 65536", &m) == NULL && m.kind == MESSAGE_TAKEN && m.number == 65536);
    CHECK(parse("input-end", &m) == NULL && m.kind == MESSAGE_INPUT_END);
    CHECK(parse("input a%00 b%0A", &m) == NULL && m.kind == MESSAGE_INPUT && m.text_length == 5 && memcmp(m.text, "a\0 b\n", 5) == 0);
    CHECK(parse("input", &m) == NULL && m.text_length == 0);
    CHECK(parse("output 12 2 %00x y", &m) == NULL && m.kind == MESSAGE_OUTPUT && m.rank == 12 && m.number == 2);
    CHECK(m.text_length == 4 && memcmp(m.text, "\0x y", 4) == 0);
    CHECK(parse("output 0 1", &m) == NULL && m.text_length == 0);
    CHECK(parse("later 1", &m) == NULL && m.kind == MESSAGE_UNKNOWN);
    CHECK(parse("", &m) == NULL && m.kind == MESSAGE_UNKNOWN);
}

static void refuses_what_is_malformed(void) {
    static const char *const BAD[] = {
        "ready", "ready ns", "ready ns 1", "ready ns 1 1025", "ready ns -1 2", "ready ns 1 2 3", "ready ns 4294967295 2",
        "ready ns 99999999999999999999 1", "ready  0 1", "set", "set A", "set =a", "default", "rank A=b", "rank 1", "rank 1 A", "rank x A=b",
        "go now", "again 2", "stop", "stop x", "stop 256", "stop -1", "warn %", "warn %0", "warn %zz", "warn %00", "hold on",
        "argument a%00b", "directory %00", "signal", "signal 0", "signal 65", "signal x", "taken", "taken x", "output", "output 1", "output 1 3 x", "output x 1 x",
        "started 1", "input-end now", "input %0",
    };
    struct message m;
    for (size_t i = 0; i < sizeof BAD / sizeof BAD[0]; i++) {
        if (parse(BAD[i], &m) == NULL) {
            fprintf(stderr, "accepted: %s\n", BAD[i]);
            exit(1);
        }
    }
    memcpy(line, "set A=\0b", 9);
    CHECK(message_parse(line, 8, &m) != NULL);
    char long_name[NSPACE_BYTES_MAX + 32] = "ready ";
    memset(long_name + 6, 'n', NSPACE_BYTES_MAX + 1);
    strcpy(long_name + 6 + NSPACE_BYTES_MAX + 1, " 0 1");
    CHECK(parse(long_name, &m) != NULL);
}

void test_message(void) {
    reads_every_kind();
    refuses_what_is_malformed();
}
