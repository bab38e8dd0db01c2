/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "pmi.h"

#include "check.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <unistd.h>

enum { RANKS = 2 };

struct fixture {
    struct pmi pmi;
    struct bytes told;
    int theirs[RANKS];
};

/* Each is escaped by three characters. */
#define TEN_BYTES "%%%%%%%%%%"

static void connect_ranks(struct fixture *f) {
    CHECK(pmi_open(&f->pmi, RANKS));
    for (uint32_t i = 0; i < RANKS; i++) {
        f->theirs[i] = pmi_connect(&f->pmi, i);
        CHECK(f->theirs[i] >= 0 && fcntl(f->theirs[i], F_SETFL, O_NONBLOCK) == 0);
    }
}

static void open_fixture(struct fixture *f) {
    memset(f, 0, sizeof *f);
    f->told = (struct bytes)BYTES_LIMITED(4 * 1024 * 1024);
    pmi_begin(&f->pmi, 4, 1, "lab.ring-0");
    CHECK(pmi_keep(&f->pmi, "PMI_process_mapping=(vector,(0,2,2))"));
    connect_ranks(f);
}

static void serve(struct fixture *f) {
    struct pollfd polls[RANKS];
    int ready, rounds = 0;
    do {
        pmi_prepare(&f->pmi, polls, &f->told);
        ready = poll(polls, RANKS, 0);
        if (ready > 0) pmi_serve(&f->pmi, polls, &f->told);
    } while (ready > 0 && rounds++ < 1000);
}

static void say(struct fixture *f, int rank, const char *text) {
    CHECK(write(f->theirs[rank], text, strlen(text)) == (ssize_t)strlen(text));
    serve(f);
}

static const char *heard(struct fixture *f, int rank) {
    static char text[256 * 1024];
    ssize_t n = read(f->theirs[rank], text, sizeof text - 1);
    text[n > 0 ? n : 0] = '\0';
    return text;
}

static const char *told(struct fixture *f) {
    static char text[8192];
    size_t length = bytes_length(&f->told);
    CHECK(length < sizeof text);
    memcpy(text, length > 0 ? bytes_first(&f->told) : "", length);
    text[length] = '\0';
    bytes_consume(&f->told, length);
    return text;
}

static void close_fixture(struct fixture *f) {
    for (int i = 0; i < RANKS; i++) {
        if (f->theirs[i] >= 0) close(f->theirs[i]);
    }
    pmi_close(&f->pmi);
    bytes_free(&f->told);
}

static void answers_as_the_protocol_has_it(void) {
    static const char *const ASKED[][2] = {
        {"cmd=init pmi_version=1 pmi_subversion=1\n", "cmd=response_to_init pmi_version=1 pmi_subversion=1 rc=0\n"},
        {"cmd=get_maxes\n", "cmd=maxes kvsname_max=256 keylen_max=64 vallen_max=1024 rc=0\n"},
        {"cmd=get_appnum\n", "cmd=appnum appnum=1 rc=0\n"},
        {"cmd=get_my_kvsname\n", "cmd=my_kvsname kvsname=lab.ring-0 rc=0\n"},
        {"cmd=get_universe_size\n", "cmd=universe_size size=4 rc=0\n"},
        {"cmd=get kvsname=lab.ring-0 key=PMI_process_mapping\n", "cmd=get_result rc=0 msg=success value=(vector,(0,2,2))\n"},
        {"cmd=get kvsname=lab.ring-0 key=nobody-has-put-it\n", "cmd=get_result rc=-1 msg=key_not_found value=unknown\n"},
        {"cmd=put kvsname=lab.ring-0 key=addr-0 value=tcp://10.0.0.1:7 and more\n", "cmd=put_result rc=0 msg=success\n"},
        {"cmd=get kvsname=lab.ring-0 key=addr-0\n", "cmd=get_result rc=0 msg=success value=tcp://10.0.0.1:7 and more\n"},
        {"cmd=finalize\n", "cmd=finalize_ack rc=0\n"},
        {"cmd=init pmi_version=2 pmi_subversion=0\n", "cmd=response_to_init pmi_version=1 pmi_subversion=1 rc=-1\n"},
        {"cmd=init pmi_version=10 pmi_subversion=0\n", "cmd=response_to_init pmi_version=1 pmi_subversion=1 rc=-1\n"},
        {"cmd=init\n", "cmd=response_to_init pmi_version=1 pmi_subversion=1 rc=-1\n"},
        {"cmd=put kvsname=lab.other-0 key=k value=v\n", "cmd=put_result rc=-1 msg=kvsname_unknown\n"},
        {"cmd=get kvsname=lab.other-0 key=PMI_process_mapping\n", "cmd=get_result rc=-1 msg=kvsname_unknown value=unknown\n"},
        {"cmd=put kvsname=lab.ring-0 key= value=v\n", "cmd=put_result rc=-1 msg=key_missing_or_too_long\n"},
        {"cmd=put kvsname=lab.ring-0 key=k\n", "cmd=put_result rc=-1 msg=value_missing_or_too_long\n"},
        {"cmd=spawn nprocs=1\n", "cmd=spawn_result rc=-1 msg=not_supported\n"},
        {"mcmd=spawn\nnprocs=1\nexecname=cmd=abort\nendcmd\n", "cmd=spawn_result rc=-1 msg=not_supported\n"},
        {"cmd=publish_name service=a\n", "cmd=publish_result info=port_missing_or_too_long rc=1 msg=port_missing_or_too_long\n"},
        {"cmd=lookup_name service=\n", "cmd=lookup_result info=service_missing_or_too_long rc=1 msg=service_missing_or_too_long\n"},
        {"cmd=lookup_name service=ocean data\n", "cmd=lookup_result info=service_has_a_blank rc=1 msg=service_has_a_blank\n"},
        {"cmd=publish_name service=ocean model port=tag#0$\n", "cmd=publish_result info=service_has_a_blank rc=1 msg=service_has_a_blank\n"},
        {"cmd=lookup_name service=" TEN_BYTES TEN_BYTES TEN_BYTES TEN_BYTES TEN_BYTES TEN_BYTES TEN_BYTES TEN_BYTES TEN_BYTES TEN_BYTES TEN_BYTES TEN_BYTES TEN_BYTES TEN_BYTES TEN_BYTES TEN_BYTES TEN_BYTES "\n",
         "cmd=lookup_result info=service_missing_or_too_long rc=1 msg=service_missing_or_too_long\n"},
        {"cmd=unpublish_name\n", "cmd=unpublish_result info=service_missing_or_too_long rc=1 msg=service_missing_or_too_long\n"},
        {"cmd=dance\n", "cmd=dance_result rc=-1 msg=not_supported\n"},
        {"\n", "cmd=unknown rc=-1 msg=not_a_command\n"},
        {"GET / HTTP/1.1\n", "cmd=unknown rc=-1 msg=not_a_command\n"},
    };
    struct fixture f;
    open_fixture(&f);
    for (size_t i = 0; i < sizeof ASKED / sizeof ASKED[0]; i++) {
        say(&f, 1, ASKED[i][0]);
        CHECK_TEXT(heard(&f, 1), ASKED[i][1]);
    }
    CHECK_TEXT(told(&f), "pmi-init 1\npmi-finalize 1\npmi-version 1\npmi-version 1\npmi-version 1\npmi-spawn 1\npmi-spawn 1\n");
    say(&f, 0, "cmd=abort exitcode=7 message=cannot go on, 100%\n");
    say(&f, 0, "cmd=abort exit");
    say(&f, 0, "code=9\n");
    CHECK_TEXT(told(&f), "pmi-abort 0 7 cannot go on, 100%25\npmi-abort 0 9 \n");
    close_fixture(&f);
}

static void a_barrier_is_a_fence_with_what_was_put_since_the_last(void) {
    struct fixture f;
    open_fixture(&f);
    say(&f, 0, "cmd=put kvsname=lab.ring-0 key=a value=1%\ncmd=barrier_in\n");
    CHECK_TEXT(told(&f), "");
    say(&f, 1, "cmd=put kvsname=lab.ring-0 key=b value=2\ncmd=barrier_in\ncmd=barrier_in\n");
    CHECK_TEXT(told(&f), "pmi-put a=1%25\npmi-put b=2\npmi-fence\n");
    CHECK_TEXT(heard(&f, 0), "cmd=put_result rc=0 msg=success\n");
    CHECK_TEXT(heard(&f, 1), "cmd=put_result rc=0 msg=success\ncmd=barrier_out rc=-1 msg=in_a_barrier_already\n");
    CHECK(pmi_keep(&f.pmi, "c=3") && pmi_keep(&f.pmi, "a=another"));
    pmi_fenced(&f.pmi, true);
    CHECK_TEXT(heard(&f, 0), "cmd=barrier_out rc=0\n");
    CHECK_TEXT(heard(&f, 1), "cmd=barrier_out rc=0\n");
    CHECK(!pmi_keep(&f.pmi, "=") && !pmi_keep(&f.pmi, "d"));
    say(&f, 0, "cmd=get kvsname=lab.ring-0 key=c\ncmd=get kvsname=lab.ring-0 key=a\n");
    CHECK_TEXT(heard(&f, 0), "cmd=get_result rc=0 msg=success value=3\ncmd=get_result rc=0 msg=success value=another\n");
    say(&f, 0, "cmd=barrier_in\n");
    say(&f, 1, "cmd=barrier_in\n");
    CHECK_TEXT(told(&f), "pmi-fence\n");
    pmi_fenced(&f.pmi, false);
    CHECK_TEXT(heard(&f, 0), "cmd=barrier_out rc=-1 msg=failed\n");
    CHECK_TEXT(heard(&f, 1), "cmd=barrier_out rc=-1 msg=failed\n");
    pmi_fenced(&f.pmi, true);
    CHECK_TEXT(heard(&f, 1), "");
    close_fixture(&f);
}

static void a_client_that_goes_on_in_pmi_2_is_told_and_left(void) {
    char text[128];
    struct fixture f;
    open_fixture(&f);
    say(&f, 0, "cmd=init pmi_version=2 pmi_subversion=0\n");
    CHECK_TEXT(heard(&f, 0), "cmd=response_to_init pmi_version=1 pmi_subversion=1 rc=-1\n");
    say(&f, 0, "    23cmd=fullinit;pmirank=0;");
    snprintf(text, sizeof text, "%s", heard(&f, 0));
    CHECK(atoi(text) == (int)strlen(text) - 6 && strncmp(text + 6, "cmd=fullinit-response;rc=-1;", 28) == 0);
    CHECK(read(f.theirs[0], text, 1) == 0);
    /* After PMI-1 has been taken up, blanks are no frame. */
    say(&f, 1, "cmd=init pmi_version=2\ncmd=init pmi_version=1\n  ");
    heard(&f, 1);
    say(&f, 1, "cmd=get_appnum\n");
    CHECK_TEXT(heard(&f, 1), "cmd=appnum appnum=1 rc=0\n");
    close_fixture(&f);
}

static void names_are_asked_of_pmixd_one_at_a_time(void) {
    struct fixture f;
    open_fixture(&f);
    say(&f, 0, "cmd=publish_name service=a% port=tag#0$ifname#10.0.0.1$\n");
    CHECK_TEXT(told(&f), "pmi-publish 0 a%25 tag#0$ifname#10.0.0.1$\n");
    say(&f, 0, "cmd=lookup_name service=b\n");
    CHECK_TEXT(heard(&f, 0), "cmd=lookup_result info=another_is_asked rc=1 msg=another_is_asked\n");
    say(&f, 1, "cmd=lookup_name service=b\n");
    CHECK_TEXT(told(&f), "pmi-lookup 1 b\n");
    pmi_named(&f.pmi, 0, false, "");
    CHECK_TEXT(heard(&f, 0), "cmd=publish_result info=ok rc=0 msg=success\n");
    pmi_named(&f.pmi, 1, false, "tag#0$");
    CHECK_TEXT(heard(&f, 1), "cmd=lookup_result info=ok port=tag#0$ rc=0 msg=success\n");
    say(&f, 1, "cmd=unpublish_name service=b\n");
    CHECK_TEXT(told(&f), "pmi-unpublish 1 b\n");
    pmi_named(&f.pmi, 1, true, "name_not_found");
    CHECK_TEXT(heard(&f, 1), "cmd=unpublish_result info=name_not_found rc=1 msg=name_not_found\n");
    pmi_named(&f.pmi, 1, false, "");
    pmi_named(&f.pmi, 77, false, "");
    CHECK_TEXT(heard(&f, 1), "");
    /* pmixd's line may be full: nobody waits for an answer that never comes. */
    f.told.limit = 4;
    say(&f, 1, "cmd=lookup_name service=b\n");
    CHECK_TEXT(heard(&f, 1), "cmd=lookup_result info=no_room rc=1 msg=no_room\n");
    close_fixture(&f);
}

static void a_fence_that_nobody_has_begun_releases_nobody(void) {
    struct fixture f;
    open_fixture(&f);
    say(&f, 0, "cmd=barrier_in\n");
    pmi_fenced(&f.pmi, true);
    CHECK_TEXT(heard(&f, 0), "");
    say(&f, 1, "cmd=barrier_in\n");
    CHECK_TEXT(told(&f), "pmi-fence\n");
    close_fixture(&f);
}

static void a_pair_for_which_there_is_no_room_fails_the_barrier(void) {
    char pair[PMI_VALUE_MAX + 8];
    struct fixture f;
    open_fixture(&f);
    say(&f, 0, "cmd=barrier_in\n");
    say(&f, 1, "cmd=barrier_in\n");
    snprintf(pair, sizeof pair, "k=%0*d", PMI_VALUE_MAX + 1, 1);
    CHECK(!pmi_keep(&f.pmi, pair));
    pmi_fenced(&f.pmi, true);
    CHECK_TEXT(heard(&f, 0), "cmd=barrier_out rc=-1 msg=failed\n");
    CHECK_TEXT(heard(&f, 1), "cmd=barrier_out rc=-1 msg=failed\n");
    heard(&f, 0);
    say(&f, 0, "cmd=barrier_in\n");
    say(&f, 1, "cmd=barrier_in\n");
    pmi_fenced(&f.pmi, true);
    CHECK_TEXT(heard(&f, 0), "cmd=barrier_out rc=0\n");
    close_fixture(&f);
}

static void a_rank_that_speaks_without_end_leaves_room_for_what_others_have_to_tell(void) {
    struct fixture f;
    open_fixture(&f);
    f.told.limit = 1024;
    for (int i = 0; i < 200; i++) {
        if (write(f.theirs[0], "cmd=init pmi_version=1\ncmd=finalize\ncmd=abort message=exited 1 0 0\n", 67) < 0) break;
        serve(&f);
        heard(&f, 0);
    }
    CHECK(bytes_length(&f.told) <= 1024 / 2 + 64);
    CHECK(bytes_append_text(&f.told, "exited 0 0 0\n"));
    /* Every line is whole and begins as it should. */
    char *at = bytes_first(&f.told), *end = at + bytes_length(&f.told);
    while (at < end) {
        char *newline = memchr(at, '\n', (size_t)(end - at));
        CHECK(newline != NULL && (strncmp(at, "pmi-", 4) == 0 || newline + 1 == end));
        at = newline + 1;
    }
    bytes_consume(&f.told, bytes_length(&f.told));
    /* And goes on to be heard when there is room. */
    serve(&f);
    CHECK(bytes_length(&f.told) > 0);
    bytes_consume(&f.told, bytes_length(&f.told));
    close_fixture(&f);
}

static void lines_that_waited_for_room_are_taken_when_answers_have_been_read(void) {
    struct fixture f;
    open_fixture(&f);
    while (write(f.theirs[0], "cmd=get_maxes\n", 14) > 0) serve(&f);
    size_t lines = 0;
    for (int i = 0; i < 1000; i++) {
        const char *text = heard(&f, 0);
        for (; *text != '\0'; text++) lines += *text == '\n';
        serve(&f);
    }
    CHECK(lines > 1000);
    CHECK(bytes_length(&f.pmi.ranks[0].incoming) < 14);
    close_fixture(&f);
}

static void nobody_speaks_for_a_rank_that_has_ended(void) {
    struct fixture f;
    open_fixture(&f);
    pmi_ended(&f.pmi, 0, &f.told);
    ssize_t n = write(f.theirs[0], "cmd=init pmi_version=1\n", 23);
    CHECK(n < 0 && errno == EPIPE);
    serve(&f);
    CHECK_TEXT(told(&f), "");
    close_fixture(&f);
}

static void what_is_too_long_is_refused_and_harms_no_other_rank(void) {
    char line[16 * 1024], expected[2048];
    struct fixture f;
    open_fixture(&f);
    for (int length = PMI_VALUE_MAX; length <= PMI_VALUE_MAX + 1; length++) {
        snprintf(line, sizeof line, "cmd=put kvsname=lab.ring-0 key=%0*d value=%0*d\n", PMI_KEY_MAX, 1, length, 1);
        say(&f, 0, line);
        CHECK_TEXT(heard(&f, 0), length == PMI_VALUE_MAX ? "cmd=put_result rc=0 msg=success\n" : "cmd=put_result rc=-1 msg=value_missing_or_too_long\n");
    }
    snprintf(line, sizeof line, "cmd=put kvsname=lab.ring-0 key=%0*d value=v\n", PMI_KEY_MAX + 1, 1);
    say(&f, 0, line);
    CHECK_TEXT(heard(&f, 0), "cmd=put_result rc=-1 msg=key_missing_or_too_long\n");
    snprintf(line, sizeof line, "cmd=get kvsname=lab.ring-0 key=%0*d\n", PMI_KEY_MAX, 1);
    snprintf(expected, sizeof expected, "cmd=get_result rc=0 msg=success value=%0*d\n", PMI_VALUE_MAX, 1);
    say(&f, 1, line);
    CHECK_TEXT(heard(&f, 1), expected);
    /* Without end: nobody could say where the next line begins. */
    memset(line, 'x', sizeof line);
    line[sizeof line - 1] = '\0';
    say(&f, 0, line);
    CHECK(read(f.theirs[0], line, 1) <= 0 && errno == ECONNRESET);
    say(&f, 1, "cmd=get_appnum\n");
    CHECK_TEXT(heard(&f, 1), "cmd=appnum appnum=1 rc=0\n");
    close_fixture(&f);
}

static void puts_without_end_are_bounded(void) {
    char line[2048];
    struct fixture f;
    open_fixture(&f);
    int taken = 0;
    /* Beyond the bound each one is like the other. */
    for (int i = 0; i < taken + 100; i++) {
        snprintf(line, sizeof line, "cmd=put kvsname=lab.ring-0 key=k%d value=%0*d\n", i, PMI_VALUE_MAX, 1);
        say(&f, 0, line);
        taken += strstr(heard(&f, 0), "rc=0") != NULL;
    }
    CHECK(taken > 500 && taken < 5000);
    CHECK(bytes_length(&f.pmi.put) <= PMI_PUT_BYTES);
    say(&f, 1, line);
    CHECK_TEXT(heard(&f, 1), "cmd=put_result rc=-1 msg=too_much_before_a_barrier\n");
    say(&f, 0, "cmd=barrier_in\n");
    say(&f, 1, "cmd=barrier_in\n");
    CHECK(f.pmi.fencing);
    close_fixture(&f);
}

static void a_rank_that_reads_no_answers_is_not_read_either(void) {
    struct fixture f;
    open_fixture(&f);
    ssize_t written = 0, n;
    do {
        n = write(f.theirs[0], "cmd=get_maxes\n", 14);
        if (n > 0) written += n;
        serve(&f);
    } while (n > 0 && written < 100 * 1024 * 1024);
    CHECK(n < 0);
    CHECK(bytes_length(&f.pmi.ranks[0].outgoing) < 128 * 1024);
    say(&f, 1, "cmd=get_appnum\n");
    CHECK_TEXT(heard(&f, 1), "cmd=appnum appnum=1 rc=0\n");
    close_fixture(&f);
}

static void what_a_rank_said_last_is_told_before_its_end(void) {
    struct fixture f;
    open_fixture(&f);
    say(&f, 0, "cmd=init pmi_version=1 pmi_subversion=1\n");
    CHECK(write(f.theirs[0], "cmd=finalize\n", 13) == 13);
    close(f.theirs[0]);
    f.theirs[0] = -1;
    pmi_ended(&f.pmi, 0, &f.told);
    CHECK_TEXT(told(&f), "pmi-init 0\npmi-finalize 0\n");
    pmi_ended(&f.pmi, 0, &f.told);
    pmi_ended(&f.pmi, 77, &f.told);
    CHECK_TEXT(told(&f), "");
    close_fixture(&f);
}

static void an_attempt_keeps_nothing_of_the_one_before(void) {
    struct fixture f;
    open_fixture(&f);
    say(&f, 0, "cmd=put kvsname=lab.ring-0 key=a value=1\n");
    for (int i = 0; i < RANKS; i++) close(f.theirs[i]);
    pmi_begin(&f.pmi, 2, 0, "lab.ring-1");
    connect_ranks(&f);
    say(&f, 0, "cmd=get kvsname=lab.ring-1 key=a\n");
    CHECK_TEXT(heard(&f, 0), "cmd=get_result rc=-1 msg=key_not_found value=unknown\n");
    say(&f, 0, "cmd=barrier_in\n");
    say(&f, 1, "cmd=barrier_in\n");
    CHECK_TEXT(told(&f), "pmi-fence\n");
    close_fixture(&f);
}

void test_pmi(void) {
    signal(SIGPIPE, SIG_IGN);
    answers_as_the_protocol_has_it();
    a_barrier_is_a_fence_with_what_was_put_since_the_last();
    a_client_that_goes_on_in_pmi_2_is_told_and_left();
    names_are_asked_of_pmixd_one_at_a_time();
    a_fence_that_nobody_has_begun_releases_nobody();
    a_pair_for_which_there_is_no_room_fails_the_barrier();
    a_rank_that_speaks_without_end_leaves_room_for_what_others_have_to_tell();
    lines_that_waited_for_room_are_taken_when_answers_have_been_read();
    nobody_speaks_for_a_rank_that_has_ended();
    what_is_too_long_is_refused_and_harms_no_other_rank();
    puts_without_end_are_bounded();
    a_rank_that_reads_no_answers_is_not_read_either();
    what_a_rank_said_last_is_told_before_its_end();
    an_attempt_keeps_nothing_of_the_one_before();
}
