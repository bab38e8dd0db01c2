/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "pmi.h"

#include <errno.h>
#include <fcntl.h>
#include <search.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

/* The longest line, with its end; answers that a rank has not read, beyond which nothing more is read of it. */
enum { LINE_MAX_BYTES = 8 * 1024, UNREAD_MAX_BYTES = 64 * 1024 };
/* What a rank that has ended may have left in its socket, in readings. */
enum { LAST_READINGS = 64 };
/* What malloc takes for a pair beside its text: three pieces. */
enum { PAIR_BYTES = 96 };

static const char FENCE[] = "pmi-fence\n";
/* For a client that goes on in PMI-2, and would wait for ever: what follows six characters of length. */
static const char PMI_2_REFUSED[] = "    58cmd=fullinit-response;rc=-1;errmsg=PMI-2 is not supported;";

struct pair {
    char *key;
    char *value; /* behind the key, in the same memory */
};

static int compare(const void *a, const void *b) { return strcmp(((const struct pair *)a)->key, ((const struct pair *)b)->key); }

static void free_pair(struct pair *pair) {
    free(pair->key);
    free(pair);
}

void pmi_begin(struct pmi *pmi, uint32_t size, uint32_t app, const char *name) {
    pmi_close(pmi);
    pmi->size = size;
    pmi->app = app;
    pmi->put.limit = PMI_PUT_BYTES + sizeof FENCE;
    strncpy(pmi->name, name, sizeof pmi->name - 1);
}

bool pmi_open(struct pmi *pmi, uint32_t count) {
    pmi->ranks = calloc(count, sizeof *pmi->ranks);
    if (pmi->ranks == NULL) return false;
    pmi->count = count;
    for (uint32_t i = 0; i < count; i++) {
        pmi->ranks[i].fd = -1;
        pmi->ranks[i].incoming.limit = LINE_MAX_BYTES;
        pmi->ranks[i].outgoing.limit = UNREAD_MAX_BYTES + LINE_MAX_BYTES;
    }
    return true;
}

int pmi_connect(struct pmi *pmi, uint32_t local_rank) {
    int ends[2];
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0) return -1;
    /* Only this end: a rank expects that its own blocks. */
    fcntl(ends[0], F_SETFL, O_NONBLOCK);
    pmi->ranks[local_rank].fd = ends[0];
    return ends[1];
}

static void leave(struct pmi_rank *rank) {
    if (rank->fd >= 0) close(rank->fd);
    rank->fd = -1;
    bytes_free(&rank->incoming);
    bytes_free(&rank->outgoing);
}

void pmi_close(struct pmi *pmi) {
    for (uint32_t i = 0; i < pmi->count; i++) leave(&pmi->ranks[i]);
    free(pmi->ranks);
    while (pmi->pairs != NULL) {
        struct pair *pair = *(struct pair **)pmi->pairs;
        tdelete(pair, &pmi->pairs, compare);
        free_pair(pair);
    }
    bytes_free(&pmi->put);
    memset(pmi, 0, sizeof *pmi);
}

static bool keep(struct pmi *pmi, const char *text) {
    const char *equals = strchr(text, '=');
    size_t bytes = strlen(text) + 1 + PAIR_BYTES;
    if (equals == NULL || equals == text || equals - text > PMI_KEY_MAX || strlen(equals + 1) > PMI_VALUE_MAX) return false;
    if (bytes > PMI_KEPT_BYTES - pmi->kept_bytes) return false;
    struct pair *pair = calloc(1, sizeof *pair);
    char *key = strdup(text);
    if (pair == NULL || key == NULL) {
        free(pair);
        free(key);
        return false;
    }
    key[equals - text] = '\0';
    *pair = (struct pair){.key = key, .value = key + (equals - text) + 1};
    struct pair **found = tsearch(pair, &pmi->pairs, compare);
    if (found == NULL) {
        free_pair(pair);
        return false;
    }
    if (*found != pair) {
        pmi->kept_bytes -= strlen((*found)->key) + strlen((*found)->value) + 2 + PAIR_BYTES;
        free_pair(*found);
        *found = pair;
    }
    pmi->kept_bytes += bytes;
    return true;
}

bool pmi_keep(struct pmi *pmi, const char *text) {
    bool kept = keep(pmi, text);
    pmi->lost |= !kept;
    return kept;
}

bool pmi_message(struct pmi *pmi, const struct message *m, bool waiting) {
    switch (m->kind) {
        case MESSAGE_PMI:
            if (waiting) pmi_begin(pmi, m->number, m->app, m->text);
            return true;
        case MESSAGE_KEPT:
            if (!pmi->lost && !pmi_keep(pmi, m->text)) dprintf(2, "fabric-launcher: no room for what the ranks of other pods have put by PMI: their barrier fails\n");
            return true;
        case MESSAGE_FENCED:
            pmi_fenced(pmi, m->number == 0);
            return true;
        case MESSAGE_NAMED:
            pmi_named(pmi, m->rank, m->number != 0, m->text);
            return true;
        default:
            return false;
    }
}

static const char *kept(const struct pmi *pmi, const char *key) {
    struct pair wanted = {.key = (char *)key};
    struct pair **found = tfind(&wanted, &pmi->pairs, compare);
    return found == NULL ? NULL : (*found)->value;
}

static void send_waiting(struct pmi_rank *rank) {
    if (rank->fd >= 0) bytes_send(&rank->outgoing, rank->fd);
}

static void answer(struct pmi_rank *rank, const char *text) {
    bytes_append_text(&rank->outgoing, text);
    send_waiting(rank);
}

__attribute__((format(printf, 2, 3))) static void answer_line(struct pmi_rank *rank, const char *format, ...) {
    char text[LINE_MAX_BYTES];
    va_list arguments;
    va_start(arguments, format);
    int length = vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    if (length >= 0 && (size_t)length < sizeof text) answer(rank, text);
}

/*
 * The value of a word `name=` of a line of words, which is copied; what has blanks in it stands last, with `to_end`. NULL where there is none, or it does not fit.
 */
static const char *word(const char *line, const char *name, bool to_end, char *copy, size_t size) {
    size_t length = strlen(name);
    for (const char *at = line; at != NULL; at = strchr(at, ' ')) {
        while (*at == ' ') at++;
        if (strncmp(at, name, length) != 0 || at[length] != '=') continue;
        at += length + 1;
        size_t bytes = to_end ? strlen(at) : strcspn(at, " ");
        if (bytes >= size) return NULL;
        memcpy(copy, at, bytes);
        copy[bytes] = '\0';
        return copy;
    }
    return NULL;
}

static const char *put(struct pmi *pmi, const char *line) {
    char name[PMI_NAME_MAX + 1], key[PMI_KEY_MAX + 1], value[PMI_VALUE_MAX + 1], pair[PMI_KEY_MAX + PMI_VALUE_MAX + 2];
    if (word(line, "kvsname", false, name, sizeof name) == NULL || strcmp(name, pmi->name) != 0) return "kvsname_unknown";
    if (word(line, "key", false, key, sizeof key) == NULL || *key == '\0' || strchr(key, '=') != NULL) return "key_missing_or_too_long";
    if (word(line, "value", true, value, sizeof value) == NULL) return "value_missing_or_too_long";
    if (bytes_length(&pmi->put) + 3 * (strlen(key) + strlen(value)) + sizeof "pmi-put =\n" > PMI_PUT_BYTES) return "too_much_before_a_barrier";
    snprintf(pair, sizeof pair, "%s=%s", key, value);
    if (!keep(pmi, pair)) return "no_room";
    bytes_append_text(&pmi->put, "pmi-put ");
    bytes_append_escaped(&pmi->put, pair, strlen(pair));
    bytes_append_text(&pmi->put, "\n");
    return NULL;
}

static void get(const struct pmi *pmi, struct pmi_rank *rank, const char *line) {
    char name[PMI_NAME_MAX + 1], key[PMI_KEY_MAX + 1];
    bool mine = word(line, "kvsname", false, name, sizeof name) != NULL && strcmp(name, pmi->name) == 0;
    const char *value = mine && word(line, "key", false, key, sizeof key) != NULL ? kept(pmi, key) : NULL;
    if (value == NULL) {
        answer_line(rank, "cmd=get_result rc=-1 msg=%s value=unknown\n", mine ? "key_not_found" : "kvsname_unknown");
    } else {
        answer_line(rank, "cmd=get_result rc=0 msg=success value=%s\n", value);
    }
}

/* All that this pod has to say, and the fence, once all of its ranks wait for it. */
static void fence_if_all_wait(struct pmi *pmi, struct bytes *told) {
    if (pmi->fencing || pmi->waiting < pmi->count) return;
    pmi->fencing = true;
    pmi->lost = false;
    bool done = bytes_append_text(&pmi->put, FENCE) && bytes_append(told, bytes_first(&pmi->put), bytes_length(&pmi->put));
    bytes_free(&pmi->put);
    if (!done) pmi_fenced(pmi, false);
}

static void enter_barrier(struct pmi *pmi, struct pmi_rank *rank, struct bytes *told) {
    if (rank->waiting) {
        answer(rank, "cmd=barrier_out rc=-1 msg=in_a_barrier_already\n");
        return;
    }
    rank->waiting = true;
    pmi->waiting++;
    fence_if_all_wait(pmi, told);
}

void pmi_fenced(struct pmi *pmi, bool done) {
    if (!pmi->fencing) return;
    done = done && !pmi->lost;
    pmi->fencing = false;
    pmi->waiting = 0;
    for (uint32_t i = 0; i < pmi->count; i++) {
        if (!pmi->ranks[i].waiting) continue;
        pmi->ranks[i].waiting = false;
        answer(&pmi->ranks[i], done ? "cmd=barrier_out rc=0\n" : "cmd=barrier_out rc=-1 msg=failed\n");
    }
}

/*
 * A question about published names, which pmixd keeps: one at a time, as clients ask. Clients of MPICH before 4.1 go by `info`, later ones by `rc`.
 */
static void answer_named(struct pmi_rank *rank, const char *result, bool failed, const char *text) {
    if (failed) {
        answer_line(rank, "cmd=%s info=%s rc=1 msg=%s\n", result, text, text);
    } else {
        answer_line(rank, "cmd=%s info=ok%s%s rc=0 msg=success\n", result, *text == '\0' ? "" : " port=", text);
    }
}

/* MPICH escapes nothing: "service=ocean model port=..." would be known, and found, as "ocean". */
static bool has_blank_in_value(const char *line) {
    for (const char *at = line; at != NULL; at = strchr(at, ' ')) {
        while (*at == ' ') at++;
        if (*at != '\0' && memchr(at, '=', strcspn(at, " ")) == NULL) return true;
    }
    return false;
}

static void ask_name(struct pmi_rank *rank, uint32_t local, const char *verb, const char *result, const char *line, struct bytes *told) {
    char service[PMI_SERVICE_MAX + 1], port[PMI_VALUE_MAX + 1] = "";
    struct bytes asked = BYTES_LIMITED(LINE_MAX_BYTES);
    bool publishes = strcmp(verb, "publish") == 0;
    const char *error = NULL;
    if (rank->asking != NULL) error = "another_is_asked";
    else if (word(line, "service", false, service, sizeof service) == NULL || *service == '\0') error = "service_missing_or_too_long";
    else if (has_blank_in_value(line)) error = "service_has_a_blank";
    else if (publishes && (word(line, "port", false, port, sizeof port) == NULL || *port == '\0')) error = "port_missing_or_too_long";
    else {
        bytes_format(&asked, "pmi-%s %u ", verb, local);
        size_t before = bytes_length(&asked);
        bytes_append_escaped(&asked, service, strlen(service));
        if (bytes_length(&asked) - before > PMI_SERVICE_ESCAPED_MAX) error = "service_missing_or_too_long";
        if (publishes) {
            bytes_append_text(&asked, " ");
            bytes_append_escaped(&asked, port, strlen(port));
        }
        if (error == NULL && (!bytes_append_text(&asked, "\n") || !bytes_append(told, bytes_first(&asked), bytes_length(&asked)))) error = "no_room";
    }
    bytes_free(&asked);
    if (error != NULL) answer_named(rank, result, true, error);
    else rank->asking = result;
}

void pmi_named(struct pmi *pmi, uint32_t local, bool failed, const char *text) {
    if (local >= pmi->count || pmi->ranks[local].asking == NULL) return;
    struct pmi_rank *rank = &pmi->ranks[local];
    answer_named(rank, rank->asking, failed, text);
    rank->asking = NULL;
}

static void refuse_spawn(struct pmi_rank *rank, uint32_t local, struct bytes *told) {
    bytes_format(told, "pmi-spawn %u\n", local);
    answer(rank, "cmd=spawn_result rc=-1 msg=not_supported\n");
}

static void abort_job(const char *line, uint32_t local, struct bytes *told) {
    char code[16], message[LINE_MAX_BYTES];
    struct bytes said = BYTES_LIMITED(4 * LINE_MAX_BYTES);
    const char *text = word(line, "message", true, message, sizeof message);
    bytes_format(&said, "pmi-abort %u %d ", local, word(line, "exitcode", false, code, sizeof code) == NULL ? 1 : atoi(code));
    if (text != NULL) bytes_append_escaped(&said, text, strlen(text));
    bytes_append_text(&said, "\n");
    bytes_append(told, bytes_first(&said), bytes_length(&said));
    bytes_free(&said);
}

static void take(struct pmi *pmi, uint32_t local, const char *line, struct bytes *told) {
    struct pmi_rank *rank = &pmi->ranks[local];
    char command[64];
    if (rank->in_mcmd) {
        rank->in_mcmd = strcmp(line, "endcmd") != 0;
        if (!rank->in_mcmd) refuse_spawn(rank, local, told);
    } else if (strncmp(line, "mcmd=", 5) == 0) {
        rank->in_mcmd = true;
    } else if (word(line, "cmd", false, command, sizeof command) == NULL) {
        answer(rank, "cmd=unknown rc=-1 msg=not_a_command\n");
    } else if (strcmp(command, "init") == 0) {
        char version[16];
        bool known = word(line, "pmi_version", false, version, sizeof version) != NULL && strcmp(version, "1") == 0;
        /* A client of PMI-2 begins with a line of PMI-1; most give up at this answer. */
        if (!known) bytes_format(told, "pmi-version %u\n", local);
        if (known && !rank->begun) bytes_format(told, "pmi-init %u\n", local);
        rank->begun = rank->begun || known;
        rank->refused = !known;
        answer_line(rank, "cmd=response_to_init pmi_version=1 pmi_subversion=1 rc=%d\n", known ? 0 : -1);
    } else if (strcmp(command, "get_maxes") == 0) {
        answer_line(rank, "cmd=maxes kvsname_max=%d keylen_max=%d vallen_max=%d rc=0\n", PMI_NAME_MAX, PMI_KEY_MAX, PMI_VALUE_MAX);
    } else if (strcmp(command, "get_appnum") == 0) {
        answer_line(rank, "cmd=appnum appnum=%u rc=0\n", pmi->app);
    } else if (strcmp(command, "get_my_kvsname") == 0) {
        answer_line(rank, "cmd=my_kvsname kvsname=%s rc=0\n", pmi->name);
    } else if (strcmp(command, "get_universe_size") == 0) {
        answer_line(rank, "cmd=universe_size size=%u rc=0\n", pmi->size);
    } else if (strcmp(command, "put") == 0) {
        const char *error = put(pmi, line);
        answer_line(rank, "cmd=put_result rc=%d msg=%s\n", error == NULL ? 0 : -1, error == NULL ? "success" : error);
    } else if (strcmp(command, "get") == 0) {
        get(pmi, rank, line);
    } else if (strcmp(command, "barrier_in") == 0) {
        enter_barrier(pmi, rank, told);
    } else if (strcmp(command, "finalize") == 0) {
        if (rank->begun) bytes_format(told, "pmi-finalize %u\n", local);
        rank->begun = false;
        answer(rank, "cmd=finalize_ack rc=0\n");
    } else if (strcmp(command, "abort") == 0) {
        abort_job(line, local, told);
    } else if (strcmp(command, "spawn") == 0) {
        refuse_spawn(rank, local, told);
    } else if (strcmp(command, "publish_name") == 0) {
        ask_name(rank, local, "publish", "publish_result", line, told);
    } else if (strcmp(command, "unpublish_name") == 0) {
        ask_name(rank, local, "unpublish", "unpublish_result", line, told);
    } else if (strcmp(command, "lookup_name") == 0) {
        ask_name(rank, local, "lookup", "lookup_result", line, told);
    } else {
        answer_line(rank, "cmd=%s_result rc=-1 msg=not_supported\n", command);
    }
}

static bool is_full(const struct bytes *told) { return bytes_length(told) > told->limit / 2; }

static bool has_line(const struct pmi_rank *rank) {
    size_t waiting = bytes_length(&rank->incoming);
    return waiting > 0 && memchr(bytes_first(&rank->incoming), '\n', waiting) != NULL;
}

/* Takes whole lines; one that is too long ends the connection, for nothing that follows could be understood. */
static void take_lines(struct pmi *pmi, uint32_t local, struct bytes *told) {
    struct pmi_rank *rank = &pmi->ranks[local];
    while (rank->fd >= 0 && bytes_length(&rank->outgoing) < UNREAD_MAX_BYTES && !is_full(told)) {
        size_t waiting = bytes_length(&rank->incoming);
        char *newline = waiting > 0 ? memchr(bytes_first(&rank->incoming), '\n', waiting) : NULL;
        if (newline == NULL) {
            bool frame = rank->refused && waiting > 0 && strchr(" 0123456789", *bytes_first(&rank->incoming)) != NULL;
            if (frame) answer(rank, PMI_2_REFUSED);
            if (frame || waiting >= LINE_MAX_BYTES) leave(rank);
            return;
        }
        char line[LINE_MAX_BYTES];
        size_t length = (size_t)(newline - bytes_first(&rank->incoming));
        memcpy(line, bytes_first(&rank->incoming), length);
        line[length] = '\0';
        bytes_consume(&rank->incoming, length + 1);
        take(pmi, local, line, told);
    }
}

static bool receive(struct pmi_rank *rank) {
    char buffer[LINE_MAX_BYTES];
    size_t room = LINE_MAX_BYTES - bytes_length(&rank->incoming);
    if (rank->fd < 0 || room == 0 || bytes_length(&rank->outgoing) >= UNREAD_MAX_BYTES) return false;
    ssize_t n = recv(rank->fd, buffer, room, 0);
    if (n > 0) return bytes_append(&rank->incoming, buffer, (size_t)n);
    if (n == 0 || (errno != EINTR && errno != EAGAIN)) leave(rank);
    return false;
}

void pmi_prepare(const struct pmi *pmi, struct pollfd *polls, const struct bytes *told) {
    bool full = is_full(told);
    for (uint32_t i = 0; i < pmi->count; i++) {
        const struct pmi_rank *rank = &pmi->ranks[i];
        size_t unread = bytes_length(&rank->outgoing);
        bool reads = unread < UNREAD_MAX_BYTES && !full;
        /* Lines that have waited for room come up at once. */
        polls[i] = (struct pollfd){.fd = full ? -1 : rank->fd, .events = (short)((reads ? POLLIN : 0) | (unread > 0 || (reads && has_line(rank)) ? POLLOUT : 0))};
    }
}

void pmi_serve(struct pmi *pmi, const struct pollfd *polls, struct bytes *told) {
    for (uint32_t i = 0; i < pmi->count; i++) {
        if (polls[i].revents == 0 || polls[i].fd != pmi->ranks[i].fd) continue;
        send_waiting(&pmi->ranks[i]);
        receive(&pmi->ranks[i]);
        take_lines(pmi, i, told);
    }
}

void pmi_ended(struct pmi *pmi, uint32_t local, struct bytes *told) {
    if (local >= pmi->count) return;
    for (int i = 0; i < LAST_READINGS && receive(&pmi->ranks[local]); i++) take_lines(pmi, local, told);
    leave(&pmi->ranks[local]);
}
