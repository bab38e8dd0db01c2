/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "options.h"

#include "check.h"

#define PARSE(...) options_parse(&o, (char *[]){__VA_ARGS__, NULL})

void test_options(void) {
    struct options o;
    CHECK(PARSE("--ranks", "4", "--tag", "--grace", "0", "--", "-odd", "a") == NULL);
    CHECK(o.mode == MODE_RANKS && o.ranks == 4 && o.tagged && o.grace_seconds == 0);
    CHECK_TEXT(o.socket_path, "/run/fabric-operator/pmixd.sock");
    CHECK(PARSE("--ranks", "1", "--socket", "s", "prog", "--tag") == NULL);
    CHECK(!o.tagged && o.grace_seconds == 30);
    CHECK_TEXT(o.socket_path, "s");
    CHECK(o.image == NULL);
    CHECK(PARSE("--ranks", "1", "--pmixd", "/i", "--heap", "56", "a") == NULL);
    CHECK_TEXT(o.image, "/i");
    CHECK_TEXT(o.heap_mebibytes, "56");
    CHECK(PARSE("--ranks", "1", "--pmixd", "i", "a") != NULL);
    CHECK(PARSE("--ranks", "1", "--heap", "1m", "a") != NULL);
    CHECK(PARSE("--install", "/x") == NULL && o.mode == MODE_INSTALL);
    CHECK_TEXT(o.install_path, "/x");
    CHECK(PARSE("--ready") == NULL && o.mode == MODE_READY);
    CHECK(PARSE("--probe", "0", "--running", "30", "--", "cat", "/up") == NULL && o.mode == MODE_PROBE && o.code == 0 && o.running_seconds == 30 && strcmp(o.command[1], "/up") == 0);
    CHECK(PARSE("--probe", "1") == NULL && o.code == 1 && o.command[0] == NULL);
    CHECK(PARSE("--probe", "2") != NULL);
    CHECK(PARSE("--probe", "1", "--running", "1m") != NULL);
    CHECK(PARSE("--ranks", "1", "--running", "1", "a") != NULL);
    CHECK(PARSE("--help") == NULL && o.mode == MODE_HELP);
    CHECK(PARSE("--version") == NULL && o.mode == MODE_VERSION);
    CHECK(PARSE(NULL) != NULL);
    CHECK(PARSE("--ranks") != NULL);
    CHECK(PARSE("--ranks", "0", "--", "a") != NULL);
    CHECK(PARSE("--ranks", "1025", "--", "a") != NULL);
    CHECK(PARSE("--ranks", "2x", "--", "a") != NULL);
    CHECK(PARSE("--ranks", "2", "--") != NULL);
    CHECK(PARSE("--ranks", "2", "--ready", "--", "a") != NULL);
    CHECK(PARSE("--ranks", "2", "--grace", "-1", "--", "a") != NULL);
    CHECK(PARSE("--ready", "x") != NULL);
    CHECK(PARSE("--tool", "pquery", "--pmixd", "/i", "--", "--system-server", "K") == NULL && o.mode == MODE_TOOL &&
          strcmp(o.tool, "pquery") == 0 && strcmp(o.command[1], "K") == 0);
    CHECK(PARSE("--tool", "pps", "--pmixd", "/i") == NULL && o.command[0] == NULL);
    CHECK(PARSE("--tool", "pps") != NULL);
    CHECK(PARSE("--tool", "../java", "--pmixd", "/i") != NULL);
    CHECK(PARSE("--await-hosts", "/etc/mpi/hostfile", "--timeout", "60", "--", "mpirun", "a") == NULL && o.mode == MODE_AWAIT_HOSTS &&
          strcmp(o.command[0], "mpirun") == 0);
    CHECK_TEXT(o.file, "/etc/mpi/hostfile");
    CHECK(o.timeout_seconds == 60);
    CHECK(o.order == NULL);
    CHECK(PARSE("--await-hosts", "h", "--order", "/run/h", "--pmixd", "/i", "a") == NULL);
    CHECK_TEXT(o.order, "/run/h");
    CHECK(PARSE("--await-hosts", "h", "--order", "/run/h", "a") != NULL);
    CHECK(PARSE("--ranks", "1", "--order", "/run/h", "--pmixd", "/i", "a") != NULL);
    CHECK(PARSE("--await-hosts", "h") != NULL);
    CHECK(PARSE("--await-hosts", "h", "--timeout", "0", "a") != NULL);
    CHECK(PARSE("--keep-environment", "f", "--names", "A,B", "a") == NULL && o.mode == MODE_KEEP_ENVIRONMENT);
    CHECK_TEXT(o.names, "A,B");
    CHECK(PARSE("--keep-environment", "f", "a") != NULL);
    CHECK(PARSE("--take-environment", "f", "a") == NULL && o.mode == MODE_TAKE_ENVIRONMENT);
    CHECK(PARSE("--serve-runs", "4", "--pmixd", "/i", "--", "/usr/sbin/sshd", "-De") == NULL && o.mode == MODE_SERVE_RUNS && o.ranks == 4);
    CHECK(PARSE("--serve-runs", "4", "--", "sshd") != NULL);
    CHECK(PARSE("--serve-runs", "0", "--pmixd", "/i", "--", "sshd") != NULL);
    CHECK(PARSE("--with-mpirun", "/d", "--pmixd", "/i", "--hostfile", "/etc/mpi/hostfile", "--timeout", "60", "--", "sh") == NULL && o.mode == MODE_WITH_MPIRUN);
    CHECK_TEXT(o.directory, "/d");
    CHECK_TEXT(o.file, "/etc/mpi/hostfile");
    CHECK(PARSE("--with-mpirun", "d", "--pmixd", "/i", "sh") != NULL);
    CHECK(PARSE("--with-mpirun", "/d", "sh") != NULL);
    CHECK(PARSE("--with-mpirun", "/d", "--pmixd", "/i") != NULL);
    CHECK(PARSE("--ranks", "1", "--hostfile", "f", "sh") != NULL);
    CHECK(PARSE("--unknown") != NULL);
    CHECK(PARSE("prog") != NULL);
}
