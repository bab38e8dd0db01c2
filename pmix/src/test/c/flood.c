/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 *
 * flood KIND COUNT [PAUSE]: a rank that asks its server for COUNT things that never come, and waits for none; the others go on meanwhile. Run by every rank of three
 * pods with two ranks each: rank 2 asks, for things that want rank 4 or 5. "connections": ranks of two pods connect in COUNT different sets, of which each has the last one;
 * those of the second pod wait for PAUSE microseconds before each.
 * Prints "WHAT: STATUS", and how many calls were refused.
 */
#include <pmix.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { ATTACKER = 2, HONEST = 3, ABSENT = 4, SILENT = 5, ROUNDS = 30 };

static pmix_proc_t self, all;
static uint32_t size;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int answered, refused;

static void say(const char *what, pmix_status_t status)
{
    printf("%s: %s\n", what, PMIx_Error_string(status));
}

static void count(pmix_status_t status)
{
    pthread_mutex_lock(&lock);
    answered++;
    if (status == PMIX_ERR_OUT_OF_RESOURCE) refused++;
    pthread_mutex_unlock(&lock);
}

static void on_group(pmix_status_t status, pmix_info_t *info, size_t ninfo, void *data, pmix_release_cbfunc_t release, void *release_data)
{
    (void) info, (void) ninfo, (void) data;
    count(status);
    if (release != NULL) release(release_data);
}

static void on_value(pmix_status_t status, pmix_value_t *value, void *data)
{
    (void) value, (void) data;
    count(status);
}

static void on_lookup(pmix_status_t status, pmix_pdata_t found[], size_t nfound, void *data)
{
    (void) found, (void) nfound, (void) data;
    count(status);
}

static pmix_status_t fence(const pmix_proc_t *procs, size_t nprocs)
{
    return PMIx_Fence(procs, nprocs, NULL, 0);
}

static void attack(const char *kind, int calls)
{
    pmix_proc_t pair[2], silent;
    pmix_info_t wait;
    char name[64];
    char *keys[] = {name, NULL};
    int before;

    PMIX_LOAD_PROCID(&pair[0], self.nspace, self.rank);
    PMIX_LOAD_PROCID(&pair[1], self.nspace, ABSENT);
    PMIX_LOAD_PROCID(&silent, self.nspace, SILENT);
    PMIX_INFO_LOAD(&wait, PMIX_WAIT, NULL, PMIX_BOOL);
    for (int i = 0; i < calls; i++) {
        pmix_status_t status;
        snprintf(name, sizeof name, "never-%d", i);
        if (strcmp(kind, "groups") == 0) {
            status = PMIx_Group_construct_nb(name, pair, 2, NULL, 0, on_group, NULL);
        } else if (strcmp(kind, "gets") == 0) {
            status = PMIx_Get_nb(&silent, name, NULL, 0, on_value, NULL);
        } else {
            status = PMIx_Lookup_nb(keys, &wait, 1, on_lookup, NULL);
        }
        if (status != PMIX_SUCCESS) {
            say("attack", status);
            break;
        }
    }
    /* A machine that is busy with other things may keep its server from answering for a while. */
    for (int quiet = 0; quiet < 5 && !(quiet > 0 && refused > calls / 2); ) {
        before = answered;
        sleep(1);
        quiet = answered > before ? 0 : quiet + 1;
    }
    printf("%s: %s refused, %s wait\n", kind, refused > calls / 2 ? "most" : "few", answered < calls ? "some" : "none");
}

/* what the others want of each other */
static void go_on(void)
{
    pmix_proc_t others[64], honest;
    pmix_value_t *got;
    pmix_info_t info, *results = NULL;
    pmix_pdata_t found;
    size_t nothers = 0, nresults = 0;
    pmix_status_t status = PMIX_SUCCESS;

    for (uint32_t rank = 0; rank < size; rank++) {
        if (rank != ATTACKER) PMIX_LOAD_PROCID(&others[nothers++], self.nspace, rank);
    }
    for (int i = 0; i < ROUNDS && status == PMIX_SUCCESS; i++) status = fence(others, nothers);
    say("fence of the others", status);
    if (self.rank == HONEST) {
        PMIX_INFO_LOAD(&info, "name", "here", PMIX_STRING);
        say("publish", PMIx_Publish(&info, 1));
        PMIx_Put(PMIX_GLOBAL, "put", &info.value);
        say("commit", PMIx_Commit());
    }
    fence(others, nothers);
    PMIX_PDATA_CONSTRUCT(&found);
    PMIX_LOAD_KEY(found.key, "name");
    say("lookup", PMIx_Lookup(&found, 1, NULL, 0));
    PMIX_LOAD_PROCID(&honest, self.nspace, HONEST);
    say("get", PMIx_Get(&honest, "put", NULL, 0, &got));
    say("group", PMIx_Group_construct("others", others, nothers, NULL, 0, &results, &nresults));
    say("destruct", PMIx_Group_destruct("others", NULL, 0));
}

static void connections(int sets, useconds_t pause)
{
    pmix_proc_t each[64];
    int made = 0, full = 0;

    for (int members = 1; members <= sets; members++) {
        size_t count = 0;
        for (uint32_t rank = 0; rank < size; rank++) {
            if (rank == size - 1 || (members >> rank & 1) != 0) PMIX_LOAD_PROCID(&each[count++], self.nspace, rank);
        }
        if (self.rank == size - 1 || (members >> self.rank & 1) != 0) {
            pmix_status_t status;
            if (self.rank >= size / 2) usleep(pause);
            status = PMIx_Connect(each, count, NULL, 0);
            if (status == PMIX_SUCCESS) made++;
            if (status == PMIX_ERR_OUT_OF_RESOURCE) full++;
        }
    }
    printf("connections: %s made, %s refused\n", made > 10 ? "many" : "few", full > 0 ? "some" : "none");
    say("fence", fence(&all, 1));
}

int main(int argc, char **argv)
{
    pmix_value_t *got;
    pmix_status_t status = PMIx_Init(&self, NULL, 0);

    setvbuf(stdout, NULL, _IOLBF, 1 << 12);
    if (status != PMIX_SUCCESS || argc < 3) {
        say("init", status);
        return 1;
    }
    PMIX_LOAD_PROCID(&all, self.nspace, PMIX_RANK_WILDCARD);
    if (PMIx_Get(&all, PMIX_JOB_SIZE, NULL, 0, &got) != PMIX_SUCCESS) return 1;
    size = got->data.uint32;
    if (strcmp(argv[1], "connections") == 0) {
        connections(atoi(argv[2]), argc > 3 ? (useconds_t) atoi(argv[3]) : 0);
    } else {
        say("begin", fence(&all, 1));
        if (self.rank == ATTACKER) {
            attack(argv[1], atoi(argv[2]));
        } else {
            go_on();
        }
        say("fence of all", fence(&all, 1));
        if (self.rank != ATTACKER) go_on();
    }
    fflush(stdout);
    return PMIx_Finalize(NULL, 0) == PMIX_SUCCESS ? 0 : 1;
}
