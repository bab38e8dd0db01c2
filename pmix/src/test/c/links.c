/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 *
 * Events of links. Run by every rank of several pods; rank 0 has a link impaired by a file "impaired" in the directory that is the first argument, and a rank that has
 * been told has it restored by a file "restored". The ranks that are numbered from the second argument to the third wait for both events; all end together. Prints
 * "link CODE of DEVICE ranks FIRST to LAST: TEXT".
 */
#include <fcntl.h>
#include <pmix.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static pmix_proc_t self, all;
static const char *directory;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static int told;

static void ask(const char *what)
{
    char path[4096];
    snprintf(path, sizeof path, "%s/%s", directory, what);
    close(open(path, O_CREAT | O_WRONLY, 0644));
}

static void on_event(size_t handler, pmix_status_t status, const pmix_proc_t *source, pmix_info_t info[], size_t ninfo,
                     pmix_info_t *results, size_t nresults, pmix_event_notification_cbfunc_fn_t cbfunc, void *cbdata)
{
    const char *device = "", *text = "";
    int first = -1, last = -1;

    (void) handler, (void) source, (void) results, (void) nresults;
    for (size_t i = 0; i < ninfo; i++) {
        if (PMIX_CHECK_KEY(&info[i], PMIX_EVENT_AFFECTED_PROCS) && info[i].value.type == PMIX_DATA_ARRAY) {
            pmix_data_array_t *affected = info[i].value.data.darray;
            pmix_proc_t *procs = affected->array;
            if (affected->type != PMIX_PROC || affected->size == 0 || !PMIX_CHECK_NSPACE(procs[0].nspace, self.nspace)) continue;
            first = (int) procs[0].rank;
            last = (int) procs[affected->size - 1].rank;
        } else if (PMIX_CHECK_KEY(&info[i], PMIX_DEVICE_ID) && info[i].value.type == PMIX_STRING) {
            device = info[i].value.data.string;
        } else if (PMIX_CHECK_KEY(&info[i], PMIX_EVENT_TEXT_MESSAGE) && info[i].value.type == PMIX_STRING) {
            text = info[i].value.data.string;
        }
    }
    printf("link %d of %s ranks %d to %d: %s\n", status, device, first, last, text);
    if (status == PMIX_EXTERNAL_ERR_BASE - 1) ask("restored");
    pthread_mutex_lock(&lock);
    told++;
    pthread_cond_signal(&changed);
    pthread_mutex_unlock(&lock);
    if (cbfunc != NULL) cbfunc(PMIX_EVENT_ACTION_COMPLETE, NULL, 0, NULL, NULL, cbdata);
}

int main(int argc, char **argv)
{
    pmix_status_t codes[] = {PMIX_EXTERNAL_ERR_BASE - 1, PMIX_EXTERNAL_ERR_BASE - 2};

    setvbuf(stdout, NULL, _IOLBF, 1 << 12);
    if (argc < 4 || PMIx_Init(&self, NULL, 0) != PMIX_SUCCESS) return 1;
    directory = argv[1];
    PMIX_LOAD_PROCID(&all, self.nspace, PMIX_RANK_WILDCARD);
    if (PMIx_Register_event_handler(codes, 2, NULL, 0, on_event, NULL, NULL) < 0) return 1;
    if (PMIx_Fence(&all, 1, NULL, 0) != PMIX_SUCCESS) return 1;
    if (self.rank == 0) ask("impaired");
    pthread_mutex_lock(&lock);
    while (self.rank >= (pmix_rank_t) atoi(argv[2]) && self.rank <= (pmix_rank_t) atoi(argv[3]) && told < 2) pthread_cond_wait(&changed, &lock);
    pthread_mutex_unlock(&lock);
    if (PMIx_Fence(&all, 1, NULL, 0) != PMIX_SUCCESS) return 1;
    return PMIx_Finalize(NULL, 0) == PMIX_SUCCESS ? 0 : 1;
}
