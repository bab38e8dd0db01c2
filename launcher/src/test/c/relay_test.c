/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "relay.h"

#include "check.h"

#include <fcntl.h>
#include <unistd.h>

struct fixture {
    struct relay relay;
    struct bytes lines;
    int write_ends[4]; /* rank 0 out, err, rank 1 out, err */
};

static void open_fixture(struct fixture *f) {
    int ends[2], streams[4];
    f->lines = (struct bytes)BYTES_LIMITED(1024 * 1024);
    for (int i = 0; i < 4; i++) {
        CHECK(pipe(ends) == 0 && fcntl(ends[0], F_SETFL, O_NONBLOCK) == 0);
        streams[i] = ends[0];
        f->write_ends[i] = ends[1];
    }
    CHECK(relay_open(&f->relay, streams, 2, &f->lines));
}

static void serve(struct fixture *f) {
    struct pollfd polls[4];
    relay_prepare(&f->relay, polls);
    if (poll(polls, 4, 0) > 0) relay_serve(&f->relay, polls);
    relay_drain(&f->relay);
}

static const char *told(struct fixture *f) {
    static char text[1024];
    size_t length = bytes_length(&f->lines);
    CHECK(length < sizeof text);
    memcpy(text, length > 0 ? bytes_first(&f->lines) : "", length);
    text[length] = '\0';
    bytes_consume(&f->lines, length);
    return text;
}

static void close_fixture(struct fixture *f) {
    for (int i = 0; i < 4; i++) {
        if (f->write_ends[i] >= 0) close(f->write_ends[i]);
    }
    relay_close(&f->relay);
    bytes_free(&f->lines);
}

static void tells_what_is_written_as_it_comes(void) {
    struct fixture f;
    open_fixture(&f);
    CHECK(write(f.write_ends[2], "50%\nhalf", 8) == 8);
    serve(&f);
    CHECK(write(f.write_ends[1], "\0", 1) == 1);
    serve(&f);
    CHECK_TEXT(told(&f), "output 1 1 50%25%0Ahalf\noutput 0 2 %00\n");
    close(f.write_ends[2]);
    f.write_ends[2] = -1;
    serve(&f);
    CHECK_TEXT(told(&f), "");
    close(f.write_ends[3]);
    f.write_ends[3] = -1;
    serve(&f);
    CHECK_TEXT(told(&f), "output-end 1\n");
    CHECK(!relay_finished(&f.relay));
    close_fixture(&f);
}

/* Something that a rank has left behind holds its streams open. */
static void streams_of_a_rank_that_has_ended_are_read_to_their_end_and_not_waited_for(void) {
    struct fixture f;
    open_fixture(&f);
    CHECK(write(f.write_ends[0], "last", 4) == 4);
    relay_rank_ended(&f.relay, 0);
    relay_drain(&f.relay);
    CHECK_TEXT(told(&f), "output 0 1 last\noutput-end 0\n");
    relay_rank_ended(&f.relay, 1);
    relay_drain(&f.relay);
    CHECK_TEXT(told(&f), "output-end 1\n");
    CHECK(relay_finished(&f.relay));
    close_fixture(&f);
}

static void ranks_wait_for_a_pmixd_that_takes_nothing_and_nothing_is_lost(void) {
    struct fixture f;
    open_fixture(&f);
    static char text[1000];
    size_t written = 0, taken = 0;
    int refused = 0;
    memset(text, '\n', sizeof text);
    CHECK(fcntl(f.write_ends[0], F_SETFL, O_NONBLOCK) == 0);
    while (refused < 3) {
        ssize_t n = write(f.write_ends[0], text, sizeof text);
        refused = n > 0 ? 0 : refused + 1;
        if (n > 0) written += (size_t)n;
        serve(&f);
        CHECK(bytes_length(&f.lines) < RELAY_PAUSE_BYTES + 4 * RELAY_READ_BYTES);
    }
    /* Ends now, with a pipe that is full and nobody who takes it. */
    relay_rank_ended(&f.relay, 0);
    serve(&f);
    CHECK(f.relay.streams[0] >= 0);
    while (f.relay.streams[0] >= 0 || bytes_length(&f.lines) > 0) {
        char *at = bytes_first(&f.lines);
        size_t length = bytes_length(&f.lines);
        for (size_t i = 0; i < length; i++) taken += at[i] == '%';
        bytes_consume(&f.lines, length);
        serve(&f);
    }
    CHECK(taken == written);
    close_fixture(&f);
}

void test_relay(void) {
    tells_what_is_written_as_it_comes();
    streams_of_a_rank_that_has_ended_are_read_to_their_end_and_not_waited_for();
    ranks_wait_for_a_pmixd_that_takes_nothing_and_nothing_is_lost();
}
