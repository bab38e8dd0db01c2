/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "mpirun.h"

#include "check.h"

static char *ENVIRONMENT[] = {"PATH=/bin", "NCCL_DEBUG=INFO", "NCCL_ALGO=Ring", "UCX_TLS=tcp", NULL};

/* The words outlive the call: what is parsed points to them. */
static enum mpirun_verdict parse(struct mpirun *m, char *const *words, char *const *environment) {
    static char *kept[64];
    size_t count = 0;
    while (words[count] != NULL) count++;
    memcpy(kept, words, (count + 1) * sizeof *kept);
    return mpirun_parse(m, kept, environment);
}

#define PARSE_IN(environment, ...) parse(&m, (char *[]){__VA_ARGS__, NULL}, environment)
#define PARSE(...) PARSE_IN(ENVIRONMENT, __VA_ARGS__)
#define UNDERSTOOD(...)                                        \
    do {                                                       \
        if (PARSE(__VA_ARGS__) != MPIRUN_UNDERSTOOD) CHECK_TEXT(m.refusal, ""); \
    } while (0)
#define REFUSED(sentence, ...)                          \
    do {                                                \
        CHECK(PARSE(__VA_ARGS__) == MPIRUN_REFUSED);    \
        CHECK_TEXT(m.refusal, sentence);                \
        mpirun_free(&m);                                \
    } while (0)

/* The texts, each behind the one before. */
static const char *joined(const struct bytes *texts) {
    static char all[4096];
    size_t length = bytes_length(texts);
    memcpy(all, length > 0 ? bytes_first(texts) : "", length);
    for (size_t i = 0; i < length; i++) {
        if (all[i] == '\0') all[i] = ';';
    }
    all[length] = '\0';
    return all;
}

/* As the examples of Horovod, DeepSpeed and the MPI Operator have it. */
static void understands_what_mpijobs_use(void) {
    struct mpirun m;
    UNDERSTOOD("--allow-run-as-root", "-np", "4", "-bind-to", "none", "-map-by", "slot", "-x", "NCCL_DEBUG", "-x", "LD_LIBRARY_PATH=/a=b", "-mca", "pml", "ob1", "-mca", "btl", "^openib",
               "python", "train.py", "-n", "8");
    CHECK(m.ranks == 4 && m.per_pod == 0 && !m.oversubscribe && !m.tagged && m.timeout_seconds == 0 && m.directory == NULL);
    CHECK_TEXT(m.command[0], "python");
    CHECK_TEXT(m.command[2], "-n");
    CHECK_TEXT(joined(&m.variables), "NCCL_DEBUG=INFO;LD_LIBRARY_PATH=/a=b;OMPI_MCA_pml=ob1;OMPI_MCA_btl=^openib;");
    CHECK_TEXT(joined(&m.notes), "");
    mpirun_free(&m);
    UNDERSTOOD("-n", "2", "/home/mpiuser/pi");
    CHECK(m.ranks == 2);
    mpirun_free(&m);
    UNDERSTOOD("pi");
    CHECK(m.ranks == 0);
    mpirun_free(&m);
    UNDERSTOOD("--np=3", "--wdir=/w", "--tag-output", "--merge-stderr-to-stdout", "--timeout", "60", "--quiet", "--stdin", "none", "--", "-odd");
    CHECK(m.ranks == 3 && m.tagged && m.merged && m.timeout_seconds == 60 && m.quiet && m.without_input);
    CHECK_TEXT(m.directory, "/w");
    CHECK_TEXT(m.command[0], "-odd");
    mpirun_free(&m);
    UNDERSTOOD("--output", "tag,merge-stderr-to-stdout", "-c", "1", "a");
    CHECK(m.tagged && m.merged && m.ranks == 1);
    mpirun_free(&m);
}

static void places_ranks_by_worker(void) {
    struct mpirun m;
    UNDERSTOOD("-N", "2", "a");
    CHECK(m.per_pod == 2);
    UNDERSTOOD("--npernode", "3", "-n", "5", "a");
    CHECK(m.per_pod == 3 && m.ranks == 5);
    UNDERSTOOD("--pernode", "a");
    CHECK(m.per_pod == 1);
    UNDERSTOOD("--map-by", "ppr:4:node:OVERSUBSCRIBE", "a");
    CHECK(m.per_pod == 4 && m.oversubscribe);
    UNDERSTOOD("--map-by", "core:oversubscribe", "a");
    CHECK(m.per_pod == 0 && m.oversubscribe);
    UNDERSTOOD("--map-by", ":OVERSUBSCRIBE", "a");
    CHECK(m.oversubscribe);
    UNDERSTOOD("--oversubscribe", "a");
    CHECK(m.oversubscribe);
    UNDERSTOOD("--mca", "rmaps_base_oversubscribe", "1", "a");
    CHECK(m.oversubscribe && bytes_length(&m.variables) == 0);
    mpirun_free(&m);
}

static void hands_on_variables(void) {
    struct mpirun m;
    UNDERSTOOD("-x", "NCCL_*", "-x", "MISSING", "-x", "EMPTY=", "--prtemca", "a", "1", "-pmixmca", "b", "2", "--mca", "plm_rsh_agent", "rsh", "--mca", "orte_base_help_aggregate", "0", "a");
    CHECK_TEXT(joined(&m.variables), "NCCL_DEBUG=INFO;NCCL_ALGO=Ring;EMPTY=;PRTE_MCA_a=1;PMIX_MCA_b=2;");
    CHECK_TEXT(joined(&m.notes), "the variable MISSING of -x is not set;");
    mpirun_free(&m);
    /* What mpirun hands on unasked, but nothing that says how it starts daemons. */
    char *environment[] = {"OMPI_MCA_btl=tcp",
                           "OMPI_MCA_orte_default_hostfile=/etc/mpi/hostfile",
                           "OMPI_MCA_plm_rsh_args=-o ConnectionAttempts=10",
                           "PRTE_MCA_prte_set_default_slots=2",
                           "PMIX_MCA_gds=hash",
                           "PRTE_MCA_rmaps_default_mapping_policy=:oversubscribe",
                           "OMPI_ALLOW_RUN_AS_ROOT=1",
                           "HOME=/root",
                           NULL};
    CHECK(mpirun_parse(&m, (char *[]){"--mca", "btl", "self", "a", NULL}, environment) == MPIRUN_UNDERSTOOD);
    CHECK_TEXT(joined(&m.variables), "OMPI_MCA_btl=tcp;PMIX_MCA_gds=hash;OMPI_ALLOW_RUN_AS_ROOT=1;OMPI_MCA_btl=self;");
    CHECK(m.oversubscribe);
    mpirun_free(&m);
}

static void binds_to_cores_and_numa_nodes(void) {
    struct mpirun m;
    UNDERSTOOD("--bind-to", "core", "a");
    CHECK(m.bind == BIND_CORE);
    mpirun_free(&m);
    UNDERSTOOD("-bind-to-core", "a");
    CHECK(m.bind == BIND_CORE);
    mpirun_free(&m);
    UNDERSTOOD("--bind-to", "NUMA:overload-allowed", "a");
    CHECK(m.bind == BIND_NUMA);
    CHECK_TEXT(joined(&m.notes), "");
    mpirun_free(&m);
    UNDERSTOOD("a");
    CHECK(m.bind == BIND_NONE);
    mpirun_free(&m);
}

static void says_what_it_does_not_do(void) {
    struct mpirun m;
    UNDERSTOOD("--hostfile", "/etc/mpi/hostfile", "-H", "a:2,b", "--bind-to", "core", "--report-bindings", "a");
    CHECK_TEXT(joined(&m.notes), "hosts of the command line do not count: ranks run in the workers of the MPIJob;"
                                     "bindings are not reported: Cpus_allowed_list in /proc/self/status of a rank tells its own;");
    mpirun_free(&m);
    UNDERSTOOD("--bind-to", "core:overload-allowed", "--bind-to", "l3cache", "a");
    CHECK(m.bind == BIND_NONE);
    CHECK_TEXT(joined(&m.notes), "ranks are bound to cores or NUMA nodes only: these are not bound;");
    mpirun_free(&m);
}

static void names_what_it_does_not_understand(void) {
    struct mpirun m;
    REFUSED("':' is not understood: several programs in one run", "-n", "1", "a", ":", "-n", "2", "b");
    REFUSED("'--app' is not understood", "--app", "file");
    REFUSED("'-rankfile' is not understood", "-rankfile", "file", "a");
    REFUSED("'--quiet=1' is not understood", "--quiet=1", "a");
    REFUSED("'node' is not understood: ranks fill one worker after the other", "--map-by", "node", "a");
    REFUSED("'ppr:2:socket' is not understood: ranks can be counted by node only", "--map-by", "ppr:2:socket", "a");
    REFUSED("'ppr:x:node' is not understood", "--map-by", "ppr:x:node", "a");
    REFUSED("'slot:PE=2' is not understood", "--map-by", "slot:PE=2", "a");
    REFUSED("'--rank-by' is not understood: ranks are numbered by slot", "--rank-by", "span", "a");
    REFUSED("'0' is not understood: the number of ranks", "-n", "0", "a");
    REFUSED("'4x' is not understood: the number of ranks", "-n", "4x", "a");
    REFUSED("'filename=x' is not understood", "--output", "filename=x", "a");
    REFUSED("'all' is not understood: standard input goes to rank 0 or nowhere", "--stdin", "all", "a");
    REFUSED("'rmaps_seq_x' is not understood", "--mca", "rmaps_seq_x", "1", "a");
    REFUSED("'-n' is not understood: it lacks its value", "-n");
    REFUSED("'--mca' is not understood: it lacks its value", "--mca", "btl");
    REFUSED("no program is named", "-n", "1");
    REFUSED("no program is named", "-n", "1", "--");
    CHECK(PARSE("--version") == MPIRUN_OWN && PARSE("-h") == MPIRUN_OWN);
}

/* As MPIJobs of MPICH and Intel MPI have it: the MPI Operator names the hostfile, and Hydra hands on what is there. */
static void understands_hydra(void) {
    struct mpirun m;
    char *mpich[] = {"HYDRA_HOST_FILE=/etc/mpi/hostfile", "HYDRA_LAUNCH_EXTRA_ARGS=-o a", "OMP_NUM_THREADS=2", "HOME=/root", "HOSTNAME=pi-launcher", "KUBERNETES_PORT=1", "UCX_TLS=tcp", NULL};
    char *intel[] = {"I_MPI_HYDRA_HOST_FILE=/etc/mpi/hostfile", "I_MPI_PERHOST=2", "I_MPI_DEBUG=5", NULL};
    CHECK(PARSE_IN(mpich, "-n", "4", "-ppn", "2", "-genv", "UCX_TLS", "self", "-env", "A=b=c", "-l", "-f", "/etc/mpi/hostfile", "-launcher", "ssh", "ring", "-n") == MPIRUN_UNDERSTOOD);
    CHECK(m.hydra && m.ranks == 4 && m.per_pod == 2 && m.oversubscribe && m.tagged);
    CHECK_TEXT(m.command[0], "ring");
    /* Of a name that is there twice the last counts. */
    CHECK_TEXT(joined(&m.variables), "OMP_NUM_THREADS=2;UCX_TLS=tcp;UCX_TLS=self;A=b=c;");
    CHECK_TEXT(joined(&m.notes), "hosts of the command line do not count: ranks run in the workers of the MPIJob;");
    mpirun_free(&m);
    CHECK(PARSE_IN(intel, "-genvlist", "I_MPI_DEBUG,NOT_THERE", "-bind-to", "core", "--wdir=/w", "a") == MPIRUN_UNDERSTOOD);
    CHECK(m.bind == BIND_CORE && m.ranks == 0);
    CHECK_TEXT(m.directory, "/w");
    CHECK_TEXT(joined(&m.variables), "I_MPI_DEBUG=5;");
    mpirun_free(&m);
    CHECK(PARSE_IN(intel, "-genvnone", "a") == MPIRUN_UNDERSTOOD);
    CHECK_TEXT(joined(&m.variables), "");
    mpirun_free(&m);
    CHECK(PARSE_IN(intel, "a") == MPIRUN_UNDERSTOOD);
    CHECK_TEXT(joined(&m.variables), "I_MPI_DEBUG=5;");
    mpirun_free(&m);
    CHECK(PARSE_IN(mpich, "-x", "A", "a") == MPIRUN_REFUSED);
    CHECK_TEXT(m.refusal, "'-x' is not understood");
    mpirun_free(&m);
    CHECK(PARSE_IN(mpich, "-n", "1", "-genv", "A") == MPIRUN_REFUSED);
    CHECK_TEXT(m.refusal, "'-genv' is not understood: it lacks its value");
    mpirun_free(&m);
    CHECK(PARSE_IN(mpich, "-genv", "=b", "a") == MPIRUN_REFUSED);
    CHECK_TEXT(m.refusal, "'-genv' is not understood: it names no variable");
    mpirun_free(&m);
    CHECK(PARSE_IN(mpich, "-configfile", "f") == MPIRUN_REFUSED);
    mpirun_free(&m);
    /* Nothing of it is Open MPI's. */
    UNDERSTOOD("a");
    CHECK(!m.hydra && bytes_length(&m.variables) == 0);
    mpirun_free(&m);
}

void test_mpirun(void) {
    understands_what_mpijobs_use();
    places_ranks_by_worker();
    hands_on_variables();
    binds_to_cores_and_numa_nodes();
    says_what_it_does_not_do();
    names_what_it_does_not_understand();
    understands_hydra();
    CHECK(is_mpirun("mpiexec.hydra"));
    CHECK(is_mpirun("mpirun") && is_mpirun("/usr/bin/mpiexec") && is_mpirun("./prterun") && is_mpirun("orterun"));
    CHECK(!is_mpirun("mpirun.sh") && !is_mpirun("/mpirun/sh") && !is_mpirun(""));
}
