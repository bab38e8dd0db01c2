/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "block.h"

#include "check.h"

static const char *apply(struct block *block, const char *text) {
    char line[512];
    struct message m;
    strcpy(line, text);
    const char *error = message_parse(line, strlen(line), &m);
    return error != NULL ? error : block_apply(block, &m);
}

static const char *value(char **environment, const char *name) {
    const char *found = NULL;
    size_t length = strlen(name);
    for (; *environment != NULL; environment++) {
        if (strncmp(*environment, name, length) != 0 || (*environment)[length] != '=') continue;
        CHECK(found == NULL); /* a name stands there once */
        found = *environment + length + 1;
    }
    return found;
}

static void rank_before_all_before_container_before_defaults(void) {
    struct block block = {0};
    CHECK(block_reset(&block, 2));
    CHECK(apply(&block, "ready ns 4 2") == NULL);
    CHECK(apply(&block, "set PMIX_NAMESPACE=ns") == NULL);
    CHECK(apply(&block, "set BOTH=all") == NULL);
    CHECK(apply(&block, "rank 5 BOTH=rank") == NULL);
    CHECK(apply(&block, "rank 4 PMIX_RANK=4") == NULL);
    CHECK(apply(&block, "rank 5 PMIX_RANK=5") == NULL);
    CHECK(apply(&block, "default UCX_NET_DEVICES=mlx5_0:1") == NULL);
    CHECK(apply(&block, "default USERS=default") == NULL);
    CHECK(apply(&block, "default EMPTY=default") == NULL);
    CHECK(apply(&block, "rankdefault 4 UCX_NET_DEVICES=mlx5_1:1") == NULL);
    CHECK(apply(&block, "rankdefault 4 USERS=rankdefault") == NULL);
    CHECK(apply(&block, "set TWICE=1") == NULL);
    CHECK(apply(&block, "set TWICE=2") == NULL);
    char *container[] = {"USERS=own", "EMPTY=", "PMIX_RANK=99", "USERSX=x", "NOTHING", NULL};
    char **first = block_environment(&block, 0, container);
    char **second = block_environment(&block, 1, container);
    CHECK_TEXT(value(first, "PMIX_RANK"), "4");
    CHECK_TEXT(value(second, "PMIX_RANK"), "5");
    CHECK_TEXT(value(first, "BOTH"), "all");
    CHECK_TEXT(value(second, "BOTH"), "rank");
    CHECK_TEXT(value(first, "UCX_NET_DEVICES"), "mlx5_1:1");
    CHECK_TEXT(value(second, "UCX_NET_DEVICES"), "mlx5_0:1");
    CHECK_TEXT(value(first, "USERS"), "own");
    CHECK_TEXT(value(first, "USERSX"), "x");
    CHECK_TEXT(value(first, "EMPTY"), "");
    CHECK_TEXT(value(first, "TWICE"), "2");
    free(first);
    free(second);
    block_free(&block);
}

static void refuses_what_does_not_fit(void) {
    struct block block = {0};
    CHECK(block_reset(&block, 2));
    CHECK(apply(&block, "set A=b") != NULL);
    CHECK(apply(&block, "ready ns 4 3") != NULL);
    CHECK(apply(&block, "ready ns 4 2") == NULL);
    CHECK(apply(&block, "ready ns 4 2") != NULL);
    CHECK(apply(&block, "rank 3 A=b") != NULL);
    CHECK(apply(&block, "rank 6 A=b") != NULL);
    CHECK(apply(&block, "rankdefault 4294967295 A=b") != NULL);
    for (int i = 0; i < RANK_VARIABLES_MAX; i++) CHECK(apply(&block, "rank 5 A=b") == NULL);
    CHECK(apply(&block, "rank 5 A=b") != NULL);
    CHECK(block_reset(&block, 2) && !block.open);
    struct message large = {.kind = MESSAGE_SET};
    char *text = malloc(130000);
    memset(text, 'x', 129999);
    text[1] = '=';
    text[129999] = '\0';
    large.text = text;
    CHECK(apply(&block, "ready ns 0 2") == NULL);
    int fitted = 0;
    while (block_apply(&block, &large) == NULL) fitted++;
    CHECK(fitted == BLOCK_BYTES_MAX / 130000);
    free(text);
    block_free(&block);
}

static void a_run_says_how_many_ranks_there_are_and_what_they_are(void) {
    struct block block = {0};
    CHECK(block_reset_any(&block) && block_command(&block) == NULL);
    CHECK(apply(&block, "argument early") != NULL);
    CHECK(apply(&block, "ready ns 4 3") == NULL);
    CHECK(apply(&block, "directory /a") == NULL && apply(&block, "directory /b") != NULL);
    CHECK(apply(&block, "argument sh") == NULL && apply(&block, "argument ") == NULL && apply(&block, "argument %0A") == NULL);
    CHECK(apply(&block, "rank 6 A=b") == NULL && apply(&block, "rank 7 A=b") != NULL);
    char **command = block_command(&block);
    CHECK_TEXT(command[0], "sh");
    CHECK_TEXT(command[1], "");
    CHECK_TEXT(command[2], "\n");
    CHECK(command[3] == NULL);
    CHECK_TEXT(block.directory, "/a");
    CHECK(apply(&block, "bind numa") == NULL && block.bind == BIND_NUMA && apply(&block, "bind socket") != NULL);
    free(command);
    CHECK(block_reset_any(&block) && block.directory == NULL && block.bind == BIND_NONE && apply(&block, "ready ns 0 0") == NULL);
    CHECK(block_reset(&block, 2) && apply(&block, "ready ns 0 0") != NULL && apply(&block, "ready ns 0 2") == NULL);
    CHECK(apply(&block, "argument a") != NULL && apply(&block, "directory /") != NULL && apply(&block, "bind core") != NULL);
    block_free(&block);
}

void test_block(void) {
    a_run_says_how_many_ranks_there_are_and_what_they_are();
    rank_before_all_before_container_before_defaults();
    refuses_what_does_not_fit();
}
