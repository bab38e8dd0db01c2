/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "mpirun.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

enum { VARIABLES_BYTES = 8 * 1024 * 1024, NOTES_BYTES = 64 * 1024, NUMBER_MAX = 16 * 1024 * 1024 };

/* What an option does. Long ones have one dash or two, as mpirun takes them. */
enum action {
    RANKS,
    PER_POD,
    ONE_PER_POD,
    MAP_BY,
    RANK_BY,
    BIND_TO,
    BIND_TO_CORE,
    UNBOUND,
    REPORT_BINDINGS,
    OVERSUBSCRIBE,
    VARIABLE,
    HYDRA_VARIABLE,
    HYDRA_VARIABLES,
    HYDRA_NO_VARIABLES,
    OPEN_MPI_PARAMETER,
    PRRTE_PARAMETER,
    PMIX_PARAMETER,
    DIRECTORY,
    TAG,
    OUTPUT,
    MERGE,
    TIMEOUT,
    INPUT,
    HOSTS,
    QUIET,
    PERSONALITY,
    NOTHING,
    QUESTION
};

struct option {
    const char *name;
    int values;
    enum action action;
};

static const struct option OPTIONS[] = {
    {"n", 1, RANKS},
    {"np", 1, RANKS},
    {"c", 1, RANKS},
    {"N", 1, PER_POD},
    {"npernode", 1, PER_POD},
    {"pernode", 0, ONE_PER_POD},
    {"map-by", 1, MAP_BY},
    {"byslot", 0, NOTHING},
    {"bycore", 0, NOTHING},
    {"rank-by", 1, RANK_BY},
    {"bind-to", 1, BIND_TO},
    {"bind-to-core", 0, BIND_TO_CORE},
    {"bind-to-socket", 0, UNBOUND},
    {"report-bindings", 0, REPORT_BINDINGS},
    {"oversubscribe", 0, OVERSUBSCRIBE},
    {"nooversubscribe", 0, NOTHING},
    {"x", 1, VARIABLE},
    {"mca", 2, OPEN_MPI_PARAMETER},
    {"omca", 2, OPEN_MPI_PARAMETER},
    {"gmca", 2, OPEN_MPI_PARAMETER},
    {"gomca", 2, OPEN_MPI_PARAMETER},
    {"prtemca", 2, PRRTE_PARAMETER},
    {"pmixmca", 2, PMIX_PARAMETER},
    {"wdir", 1, DIRECTORY},
    {"wd", 1, DIRECTORY},
    {"tag-output", 0, TAG},
    {"output", 1, OUTPUT},
    {"merge-stderr-to-stdout", 0, MERGE},
    {"timeout", 1, TIMEOUT},
    {"stdin", 1, INPUT},
    {"hostfile", 1, HOSTS},
    {"machinefile", 1, HOSTS},
    {"default-hostfile", 1, HOSTS},
    {"host", 1, HOSTS},
    {"H", 1, HOSTS},
    {"quiet", 0, QUIET},
    {"q", 0, QUIET},
    {"personality", 1, PERSONALITY},
    {"allow-run-as-root", 0, NOTHING},
    /* Of daemons, which are not started here. */
    {"launch-agent", 1, NOTHING},
    {"leave-session-attached", 0, NOTHING},
    {"debug-daemons", 0, NOTHING},
    {"help", 0, QUESTION},
    {"h", 0, QUESTION},
    {"version", 0, QUESTION},
    {"V", 0, QUESTION},
};

/*
 * Those of MPICH's and Intel's mpiexec, which they call Hydra.
 *
 * MPICH 4.0 to 5.0, src/pm/hydra/mpiexec/options.c and its -help; "Intel MPI Library Developer Reference", mpiexec.hydra.
 */
static const struct option HYDRA_OPTIONS[] = {
    {"n", 1, RANKS},
    {"np", 1, RANKS},
    {"ppn", 1, PER_POD},
    {"perhost", 1, PER_POD},
    {"genv", 1, HYDRA_VARIABLE},
    {"env", 1, HYDRA_VARIABLE},
    {"genvlist", 1, HYDRA_VARIABLES},
    {"envlist", 1, HYDRA_VARIABLES},
    {"genvnone", 0, HYDRA_NO_VARIABLES},
    {"envnone", 0, HYDRA_NO_VARIABLES},
    {"genvall", 0, NOTHING},
    {"envall", 0, NOTHING},
    {"bind-to", 1, BIND_TO},
    {"map-by", 1, MAP_BY},
    {"wdir", 1, DIRECTORY},
    {"prepend-rank", 0, TAG},
    {"l", 0, TAG},
    {"f", 1, HOSTS},
    {"hostfile", 1, HOSTS},
    {"machinefile", 1, HOSTS},
    {"host", 1, HOSTS},
    {"hosts", 1, HOSTS},
    /* Of daemons, which are not started here. */
    {"launcher", 1, NOTHING},
    {"launcher-exec", 1, NOTHING},
    {"bootstrap", 1, NOTHING},
    {"bootstrap-exec", 1, NOTHING},
    {"rmk", 1, NOTHING},
    {"iface", 1, NOTHING},
    {"disable-auto-cleanup", 0, NOTHING},
    {"disable-hostname-propagation", 0, NOTHING},
    {"help", 0, QUESTION},
    {"h", 0, QUESTION},
    {"info", 0, QUESTION},
    {"version", 0, QUESTION},
    {"V", 0, QUESTION},
};

/* What Hydra hands on unasked is all but what says where a process is, and how daemons are started. */
static const char *const OF_THE_PLACE[] = {"HOSTNAME=", "HOME=", "PWD=", "OLDPWD=", "SHLVL=", "_=", "KUBERNETES_", "FABRIC_MPIRUN_", "PMIXD_", "PMI_", "PMIX_", "HYDRA_", "I_MPI_HYDRA_", "I_MPI_PERHOST="};

/* Parameters that only say how the daemons of mpirun are reached and started. */
static const char *const START_PARAMETERS[] = {"plm_", "orte_", "prte_", "ras_", "oob_", "rml_", "routed_", "grpcomm_", "odls_"};

const char *const MPIRUN_NAMES[] = {"mpirun", "mpiexec", "prterun", "orterun", "mpiexec.hydra", NULL};

bool is_mpirun(const char *path) {
    const char *slash = strrchr(path, '/');
    const char *name = slash != NULL ? slash + 1 : path;
    for (size_t i = 0; MPIRUN_NAMES[i] != NULL; i++) {
        if (strcmp(name, MPIRUN_NAMES[i]) == 0) return true;
    }
    return false;
}

static bool starts_with(const char *text, const char *prefix) { return strncmp(text, prefix, strlen(prefix)) == 0; }

static bool refuse(struct mpirun *m, const char *argument, const char *why) {
    snprintf(m->refusal, sizeof m->refusal, "'%.200s' is not understood%s%s", argument, *why != '\0' ? ": " : "", why);
    return false;
}

static const char TOO_LARGE[] = "the variables are too large";
static const char NOT_BOUND[] = "ranks are bound to cores or NUMA nodes only: these are not bound";

/* Once, however often it is asked for. */
static void note(struct mpirun *m, const char *sentence) {
    size_t length = bytes_length(&m->notes);
    for (size_t at = 0; at < length; at += strlen(bytes_first(&m->notes) + at) + 1) {
        if (strcmp(bytes_first(&m->notes) + at, sentence) == 0) return;
    }
    (void)bytes_append(&m->notes, sentence, strlen(sentence) + 1);
}

static bool add(struct mpirun *m, const char *prefix, const char *name, size_t name_length, const char *value) {
    size_t length = strlen(prefix) + name_length + 1 + strlen(value) + 1;
    return length <= VARIABLES_BYTES - bytes_length(&m->variables) && bytes_append_text(&m->variables, prefix) && bytes_append(&m->variables, name, name_length) &&
           bytes_append_text(&m->variables, "=") && bytes_append(&m->variables, value, strlen(value) + 1);
}

static bool number(const char *text, uint32_t *value) {
    char *end;
    if (*text < '0' || *text > '9' || strlen(text) > 8) return false;
    long found = strtol(text, &end, 10);
    if (*end != '\0' || found < 1 || found > NUMBER_MAX) return false;
    *value = (uint32_t)found;
    return true;
}

/* The next part of `text` up to one of `separators`, in `part`; NULL at its end or where it does not fit. */
static const char *next_part(const char *text, const char *separators, char *part, size_t size) {
    size_t length = strcspn(text, separators);
    if (length >= size) return NULL;
    memcpy(part, text, length);
    part[length] = '\0';
    return text + length + (text[length] != '\0' ? 1 : 0);
}

static bool is_one_of(const char *text, const char *const *words, size_t count) {
    for (size_t i = 0; i < count; i++) {
        if (strcasecmp(text, words[i]) == 0) return true;
    }
    return false;
}

/* [OBJECT][:MODIFIER...], OBJECT also ppr:N:node. Ranks are numbered from worker to worker and not bound, so that objects inside of a node make no difference. */
static bool map_by(struct mpirun *m, const char *argument, const char *policy) {
    static const char *const INSIDE[] = {"", "slot", "core", "hwthread", "socket", "package", "numa"};
    char part[64];
    const char *at = next_part(policy, ":", part, sizeof part);
    if (at == NULL) return refuse(m, argument, "");
    if (strcasecmp(part, "ppr") == 0) {
        at = next_part(at, ":", part, sizeof part);
        if (at == NULL || !number(part, &m->per_pod)) return refuse(m, argument, "");
        at = next_part(at, ":", part, sizeof part);
        if (at == NULL || strcasecmp(part, "node") != 0) return refuse(m, argument, "ranks can be counted by node only");
    } else if (!is_one_of(part, INSIDE, sizeof INSIDE / sizeof INSIDE[0])) {
        return refuse(m, argument, "ranks fill one worker after the other");
    }
    while (*at != '\0') {
        at = next_part(at, ":,", part, sizeof part);
        if (at == NULL) return refuse(m, argument, "");
        if (strcasecmp(part, "oversubscribe") == 0) {
            m->oversubscribe = true;
        } else if (strcasecmp(part, "nooversubscribe") == 0) {
            m->oversubscribe = false;
        } else {
            return refuse(m, argument, "");
        }
    }
    return true;
}

static bool output(struct mpirun *m, const char *argument, const char *value) {
    char part[64];
    for (const char *at = value; *at != '\0';) {
        at = next_part(at, ",:", part, sizeof part);
        if (at == NULL) return refuse(m, argument, "");
        if (strcasecmp(part, "tag") == 0) {
            m->tagged = true;
        } else if (strcasecmp(part, "merge-stderr-to-stdout") == 0 || strcasecmp(part, "merge") == 0) {
            m->merged = true;
        } else if (*part != '\0') {
            return refuse(m, argument, "");
        }
    }
    return true;
}

static const char *value_of(char *const environment[], const char *name) {
    size_t length = strlen(name);
    for (; *environment != NULL; environment++) {
        if (strncmp(*environment, name, length) == 0 && (*environment)[length] == '=') return *environment + length + 1;
    }
    return NULL;
}

/* -x NAME, NAME=VALUE or NAM* */
static bool variable(struct mpirun *m, const char *argument, char *const environment[]) {
    char sentence[256];
    size_t length = strlen(argument);
    const char *equals = strchr(argument, '=');
    if (length == 0 || equals == argument) return refuse(m, argument, "it names no variable");
    if (equals != NULL) return add(m, "", argument, (size_t)(equals - argument), equals + 1) || refuse(m, argument, TOO_LARGE);
    if (argument[length - 1] == '*') {
        for (; *environment != NULL; environment++) {
            equals = strchr(*environment, '=');
            if (equals == NULL || strncmp(*environment, argument, length - 1) != 0 || (size_t)(equals - *environment) < length - 1) continue;
            if (!add(m, "", *environment, (size_t)(equals - *environment), equals + 1)) return refuse(m, argument, TOO_LARGE);
        }
        return true;
    }
    const char *value = value_of(environment, argument);
    if (value != NULL) return add(m, "", argument, length, value) || refuse(m, argument, TOO_LARGE);
    snprintf(sentence, sizeof sentence, "the variable %.200s of -x is not set", argument);
    note(m, sentence);
    return true;
}

static bool is_of_start(const char *name) {
    for (size_t i = 0; i < sizeof START_PARAMETERS / sizeof START_PARAMETERS[0]; i++) {
        if (starts_with(name, START_PARAMETERS[i])) return true;
    }
    return false;
}

static bool is_yes(const char *value) { return strcmp(value, "0") != 0 && strcasecmp(value, "false") != 0 && strcasecmp(value, "no") != 0; }

/* A parameter that says where ranks go. */
static bool mapping(struct mpirun *m, const char *name, const char *value) {
    if (strcmp(name, "rmaps_base_oversubscribe") == 0) {
        m->oversubscribe = is_yes(value);
        return true;
    }
    bool policy = strcmp(name, "rmaps_base_mapping_policy") == 0 || strcmp(name, "rmaps_default_mapping_policy") == 0;
    return policy ? map_by(m, name, value) : refuse(m, name, "");
}

static bool parameter(struct mpirun *m, const char *prefix, const char *name, const char *value) {
    if (is_of_start(name)) return true;
    if (starts_with(name, "rmaps_")) return mapping(m, name, value);
    if (strcmp(name, "mca_base_env_list") == 0) return refuse(m, name, "");
    return add(m, prefix, name, strlen(name), value) || refuse(m, name, TOO_LARGE);
}

/* What mpirun hands on unasked. */
static bool inherit(struct mpirun *m, char *const environment[]) {
    static const char OPEN_MPI[] = "OMPI_MCA_", PRRTE[] = "PRTE_MCA_";
    for (; *environment != NULL; environment++) {
        const char *entry = *environment;
        const char *equals = strchr(entry, '=');
        if (equals == NULL) continue;
        bool prrte = starts_with(entry, PRRTE);
        if (prrte || starts_with(entry, OPEN_MPI)) {
            char name[128];
            size_t length = (size_t)(equals - entry) - (sizeof OPEN_MPI - 1);
            if (length >= sizeof name) continue;
            memcpy(name, entry + sizeof OPEN_MPI - 1, length);
            name[length] = '\0';
            if (starts_with(name, "rmaps_") && !mapping(m, name, equals + 1)) return false;
            if (prrte || is_of_start(name) || starts_with(name, "rmaps_")) continue;
        }
        if (!starts_with(entry, "OMPI_") && !starts_with(entry, "PMIX_MCA_")) continue;
        if (!add(m, "", entry, (size_t)(equals - entry), equals + 1)) return refuse(m, entry, TOO_LARGE);
    }
    return true;
}

static bool is_of_the_place(const char *entry) {
    for (size_t i = 0; i < sizeof OF_THE_PLACE / sizeof OF_THE_PLACE[0]; i++) {
        if (starts_with(entry, OF_THE_PLACE[i])) return true;
    }
    return false;
}

/* Before those of the command line, which are there already and count. */
static bool inherit_all(struct mpirun *m, char *const environment[]) {
    struct bytes own = m->variables;
    m->variables = (struct bytes)BYTES_LIMITED(VARIABLES_BYTES);
    bool done = true;
    for (; done && *environment != NULL; environment++) {
        const char *equals = strchr(*environment, '=');
        if (equals == NULL || equals == *environment || is_of_the_place(*environment)) continue;
        done = add(m, "", *environment, (size_t)(equals - *environment), equals + 1) || refuse(m, *environment, TOO_LARGE);
    }
    if (done && bytes_length(&own) > 0) done = bytes_append(&m->variables, bytes_first(&own), bytes_length(&own)) || refuse(m, bytes_first(&own), TOO_LARGE);
    bytes_free(&own);
    return done;
}

/* NAME,... of the environment, and no others unasked. */
static bool named_variables(struct mpirun *m, const char *names, char *const environment[]) {
    char name[256];
    m->hands_on_nothing = true;
    for (const char *at = names; *at != '\0';) {
        at = next_part(at, ",", name, sizeof name);
        if (at == NULL) return refuse(m, names, "a name is too long");
        const char *value = value_of(environment, name);
        if (value != NULL && !add(m, "", name, strlen(name), value)) return refuse(m, names, TOO_LARGE);
    }
    return true;
}

static bool apply(struct mpirun *m, enum action action, char *argument, char **values, char *const environment[]) {
    const char *value = values[0];
    uint32_t count;
    switch (action) {
        case RANKS:
            return number(value, &m->ranks) || refuse(m, value, "the number of ranks");
        case PER_POD:
            return number(value, &m->per_pod) || refuse(m, value, "the number of ranks of a node");
        case ONE_PER_POD:
            m->per_pod = 1;
            return true;
        case MAP_BY:
            return map_by(m, value, value);
        case RANK_BY:
            return strcasecmp(value, "slot") == 0 || strcasecmp(value, "fill") == 0 || refuse(m, argument, "ranks are numbered by slot");
        case BIND_TO:
            /* What follows a colon is for shares of CPUs that are too small. */
            m->bind = BIND_NONE;
            if (!bind_read(value, strcspn(value, ":"), &m->bind)) note(m, NOT_BOUND);
            return true;
        case BIND_TO_CORE:
            m->bind = BIND_CORE;
            return true;
        case UNBOUND:
            note(m, NOT_BOUND);
            return true;
        case REPORT_BINDINGS:
            note(m, "bindings are not reported: Cpus_allowed_list in /proc/self/status of a rank tells its own");
            return true;
        case OVERSUBSCRIBE:
            m->oversubscribe = true;
            return true;
        case VARIABLE:
            return variable(m, value, environment);
        case HYDRA_VARIABLE: {
            size_t length = strcspn(value, "=");
            if (length == 0) return refuse(m, argument, "it names no variable");
            return add(m, "", value, length, values[1] != NULL ? values[1] : value + length + 1) || refuse(m, value, TOO_LARGE);
        }
        case HYDRA_VARIABLES:
            return named_variables(m, value, environment);
        case HYDRA_NO_VARIABLES:
            m->hands_on_nothing = true;
            return true;
        case OPEN_MPI_PARAMETER:
            return parameter(m, "OMPI_MCA_", value, values[1]);
        case PRRTE_PARAMETER:
            return parameter(m, "PRTE_MCA_", value, values[1]);
        case PMIX_PARAMETER:
            return parameter(m, "PMIX_MCA_", value, values[1]);
        case DIRECTORY:
            m->directory = value;
            return *value != '\0' || refuse(m, argument, "it names no directory");
        case TAG:
            m->tagged = true;
            return true;
        case OUTPUT:
            return output(m, value, value);
        case MERGE:
            m->merged = true;
            return true;
        case TIMEOUT:
            if (!number(value, &count)) return refuse(m, value, "--timeout takes seconds");
            m->timeout_seconds = (int)count;
            return true;
        case INPUT:
            m->without_input = strcasecmp(value, "none") == 0;
            return m->without_input || strcmp(value, "0") == 0 || refuse(m, value, "standard input goes to rank 0 or nowhere");
        case HOSTS:
            note(m, "hosts of the command line do not count: ranks run in the workers of the MPIJob");
            return true;
        case QUIET:
            m->quiet = true;
            return true;
        case PERSONALITY:
            return strcmp(value, "ompi") == 0 || refuse(m, value, "");
        case NOTHING:
        case QUESTION:
            return true;
    }
    return refuse(m, argument, "");
}

/* `name` is not ended by a zero byte. */
static const struct option *find(const struct mpirun *m, const char *name, size_t length) {
    const struct option *options = m->hydra ? HYDRA_OPTIONS : OPTIONS;
    size_t count = m->hydra ? sizeof HYDRA_OPTIONS / sizeof HYDRA_OPTIONS[0] : sizeof OPTIONS / sizeof OPTIONS[0];
    for (size_t i = 0; i < count; i++) {
        if (strlen(options[i].name) == length && strncmp(options[i].name, name, length) == 0) return &options[i];
    }
    return NULL;
}

enum mpirun_verdict mpirun_parse(struct mpirun *m, char **arguments, char *const environment[]) {
    memset(m, 0, sizeof *m);
    m->variables.limit = VARIABLES_BYTES;
    m->notes.limit = NOTES_BYTES;
    m->hydra = value_of(environment, "HYDRA_HOST_FILE") != NULL || value_of(environment, "I_MPI_HYDRA_HOST_FILE") != NULL;
    /* Hydra goes round the hosts again where there are more ranks than slots. */
    m->oversubscribe = m->hydra;
    if (!m->hydra && !inherit(m, environment)) return MPIRUN_REFUSED;
    char **at = arguments;
    while (*at != NULL && (*at)[0] == '-') {
        char *argument = *at++;
        if (strcmp(argument, "--") == 0) break;
        char *name = argument + (argument[1] == '-' ? 2 : 1);
        size_t length = strcspn(name, "=");
        const struct option *option = find(m, name, length);
        char *values[2] = {NULL, NULL};
        int given = 0;
        if (option != NULL && name[length] == '=') values[given++] = name + length + 1;
        if (option == NULL || (given > 0 && option->values != 1)) {
            refuse(m, argument, "");
            return MPIRUN_REFUSED;
        }
        if (option->action == QUESTION) return MPIRUN_OWN;
        for (; given < option->values; given++) {
            if (*at == NULL) {
                refuse(m, argument, "it lacks its value");
                return MPIRUN_REFUSED;
            }
            values[given] = *at++;
        }
        /* Its value is another word where there is none in it. */
        if (option->action == HYDRA_VARIABLE && strchr(values[0], '=') == NULL) {
            if (*at == NULL) {
                refuse(m, argument, "it lacks its value");
                return MPIRUN_REFUSED;
            }
            values[1] = *at++;
        }
        if (!apply(m, option->action, argument, values, environment)) return MPIRUN_REFUSED;
    }
    if (*at == NULL) {
        snprintf(m->refusal, sizeof m->refusal, "no program is named");
        return MPIRUN_REFUSED;
    }
    m->command = at;
    for (; *at != NULL; at++) {
        if (strcmp(*at, ":") == 0) {
            refuse(m, *at, "several programs in one run");
            return MPIRUN_REFUSED;
        }
    }
    if (m->hydra && !m->hands_on_nothing && !inherit_all(m, environment)) return MPIRUN_REFUSED;
    return MPIRUN_UNDERSTOOD;
}

void mpirun_free(struct mpirun *m) {
    bytes_free(&m->variables);
    bytes_free(&m->notes);
}
