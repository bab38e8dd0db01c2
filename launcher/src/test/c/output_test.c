/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "output.h"

#include "check.h"

#include <fcntl.h>
#include <unistd.h>

struct fixture {
    struct output output;
    int write_ends[4]; /* rank 0 out, err, rank 1 out, err */
    int sink_out;      /* reading end of the launcher's own standard output */
    int sink_err;
    int sink_ends[2];
};

static void open_fixture(struct fixture *f, bool tagged) {
    int ends[2], read_ends[4];
    CHECK(pipe(ends) == 0);
    f->sink_out = ends[0];
    f->sink_ends[0] = ends[1];
    CHECK(pipe(ends) == 0);
    f->sink_err = ends[0];
    f->sink_ends[1] = ends[1];
    CHECK(fcntl(f->sink_out, F_SETFL, O_NONBLOCK) == 0 && fcntl(f->sink_err, F_SETFL, O_NONBLOCK) == 0);
    for (int i = 0; i < 4; i++) {
        CHECK(pipe(ends) == 0 && fcntl(ends[0], F_SETFL, O_NONBLOCK) == 0);
        read_ends[i] = ends[0];
        f->write_ends[i] = ends[1];
    }
    output_open(&f->output, f->sink_ends[0], f->sink_ends[1]);
    CHECK(output_add(&f->output, read_ends, 4, 10, tagged));
}

static void serve(struct fixture *f) {
    struct pollfd polls[6];
    for (int i = 0; i < 3; i++) {
        output_prepare(&f->output, polls);
        if (poll(polls, 6, 0) > 0) output_serve(&f->output, polls);
    }
}

static void say(struct fixture *f, int stream, const char *text) {
    CHECK(write(f->write_ends[stream], text, strlen(text)) == (ssize_t)strlen(text));
    serve(f);
}

static const char *heard(int fd) {
    static char text[300000];
    ssize_t n = read(fd, text, sizeof text - 1);
    text[n > 0 ? n : 0] = '\0';
    return text;
}

static void close_fixture(struct fixture *f) {
    output_finish(&f->output, 1000);
    for (int i = 0; i < 4; i++) close(f->write_ends[i]);
    for (int i = 0; i < 2; i++) {
        close(f->sink_ends[i]);
        bytes_free(&f->output.sinks[i].queue);
    }
    close(f->sink_out);
    close(f->sink_err);
}

static void lines_stay_whole_and_streams_apart(void) {
    struct fixture f;
    open_fixture(&f, true);
    say(&f, 0, "first half, ");
    say(&f, 2, "other\nand ");
    say(&f, 1, "complaint\n");
    say(&f, 0, "second half\n\n");
    CHECK_TEXT(heard(f.sink_out), "[11] other\n[10] first half, second half\n[10] \n");
    CHECK_TEXT(heard(f.sink_err), "[10] complaint\n");
    output_finish(&f.output, 1000);
    CHECK_TEXT(heard(f.sink_out), "[11] and ");
    close_fixture(&f);
}

static void a_line_that_has_no_end_is_ended_before_another_rank_speaks(void) {
    struct fixture f;
    open_fixture(&f, false);
    say(&f, 0, "no end");
    close(f.write_ends[0]);
    serve(&f);
    say(&f, 2, "other\n");
    CHECK_TEXT(heard(f.sink_out), "no end\nother\n");
    f.write_ends[0] = dup(f.write_ends[1]);
    close_fixture(&f);
}

/* What goes in comes out, byte for byte, whatever its lines are; nothing is held beyond the bounds. */
static void huge_lines_pass_unchanged(void) {
    struct fixture f;
    open_fixture(&f, false);
    size_t size = 1000 * 1000, sent = 0, received = 0;
    char *text = malloc(size);
    for (size_t i = 0; i < size; i++) text[i] = i % 300000 == 299999 ? '\n' : (char)('a' + i % 26);
    CHECK(fcntl(f.write_ends[0], F_SETFL, O_NONBLOCK) == 0);
    while (received < size) {
        if (sent < size) {
            ssize_t n = write(f.write_ends[0], text + sent, size - sent);
            if (n > 0) sent += (size_t)n;
            if (sent == size) close(f.write_ends[0]);
        }
        serve(&f);
        const char *piece = heard(f.sink_out);
        size_t length = strlen(piece);
        CHECK(memcmp(text + received, piece, length) == 0);
        received += length;
        CHECK(f.output.sinks[0].queue.capacity <= 2 * 1024 * 1024 && f.output.sources[0].line.capacity <= 128 * 1024);
    }
    f.write_ends[0] = dup(f.write_ends[1]);
    free(text);
    close_fixture(&f);
}

static void a_reader_that_takes_nothing_stops_the_writers_not_the_launcher(void) {
    struct fixture f;
    open_fixture(&f, true);
    CHECK(fcntl(f.write_ends[0], F_SETFL, O_NONBLOCK) == 0);
    char newlines[4096];
    memset(newlines, '\n', sizeof newlines);
    size_t taken = 0;
    int refused = 0;
    while (refused < 3) {
        ssize_t n = write(f.write_ends[0], newlines, sizeof newlines);
        refused = n > 0 ? 0 : refused + 1;
        if (n > 0) taken += (size_t)n;
        serve(&f);
        CHECK(taken < 10 * 1000 * 1000);
    }
    CHECK(bytes_length(&f.output.sinks[0].queue) >= OUTPUT_PAUSE_BYTES);
    output_finish(&f.output, 10);
    CHECK(f.output.sinks[0].closed);
    close_fixture(&f);
}

static void what_comes_from_other_pods_is_brought_together_too(void) {
    struct fixture f;
    open_fixture(&f, false);
    output_finish(&f.output, 1000);
    f.output.tagged = true;
    CHECK(output_take(&f.output, 0, 1, "first ", 6));
    CHECK(output_take(&f.output, 4000, 1, "of the last\n", 12));
    CHECK(output_take(&f.output, 0, 2, "complaint\n", 10));
    CHECK(output_take(&f.output, 0, 1, "half\nno end", 11));
    CHECK(!output_take(&f.output, 1u << 30, 1, "x", 1));
    CHECK(!output_idle(&f.output));
    struct pollfd polls[2];
    CHECK(output_end(&f.output));
    for (int i = 0; i < 3; i++) {
        output_prepare_sinks(&f.output, polls);
        if (poll(polls, 2, 0) > 0) output_serve_sinks(&f.output, polls);
    }
    CHECK(output_idle(&f.output));
    CHECK_TEXT(heard(f.sink_out), "[1,4000]<stdout>: of the last\n[1,0]<stdout>: first half\n[1,0]<stdout>: no end");
    CHECK_TEXT(heard(f.sink_err), "[1,0]<stderr>: complaint\n");
    close_fixture(&f);
}

static void the_only_rank_is_heard_at_once(void) {
    struct fixture f;
    open_fixture(&f, false);
    output_finish(&f.output, 1000);
    f.output.unbuffered = f.output.merged = true;
    CHECK(output_take(&f.output, 0, 1, "name? ", 6) && output_take(&f.output, 0, 2, "!", 1));
    output_finish(&f.output, 1000);
    CHECK_TEXT(heard(f.sink_out), "name? !");
    close_fixture(&f);
}

/* Every rank has a line that has not ended, and together they are more than may wait. */
static void nothing_is_lost_at_the_end(void) {
    struct fixture f;
    open_fixture(&f, false);
    output_finish(&f.output, 1000);
    static char text[60000];
    size_t received = 0, rounds = 0;
    memset(text, 'x', sizeof text);
    for (uint32_t rank = 0; rank < 300; rank++) CHECK(output_take(&f.output, rank, 1, text, sizeof text));
    struct pollfd polls[2];
    while (!output_end(&f.output) || !output_idle(&f.output)) {
        output_prepare_sinks(&f.output, polls);
        if (poll(polls, 2, 0) > 0) output_serve_sinks(&f.output, polls);
        received += strlen(heard(f.sink_out));
        CHECK(f.output.sinks[0].queue.capacity <= 1024 * 1024 && rounds++ < 100000);
    }
    received += strlen(heard(f.sink_out));
    CHECK(received == 300 * sizeof text + 299);
    close_fixture(&f);
}

void test_output(void) {
    what_comes_from_other_pods_is_brought_together_too();
    the_only_rank_is_heard_at_once();
    nothing_is_lost_at_the_end();
    lines_stay_whole_and_streams_apart();
    a_line_that_has_no_end_is_ended_before_another_rank_speaks();
    huge_lines_pass_unchanged();
    a_reader_that_takes_nothing_stops_the_writers_not_the_launcher();
}
