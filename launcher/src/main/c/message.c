/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "message.h"

#include <stdbool.h>
#include <string.h>

enum { SIGNALS_END = 65 };

static int hex_digit(char c) {
    if (c >= '0' && c <= '9') return c - '0';
    if (c >= 'a' && c <= 'f') return c - 'a' + 10;
    if (c >= 'A' && c <= 'F') return c - 'A' + 10;
    return -1;
}

long text_decode(char *text, size_t length) {
    size_t to = 0;
    for (size_t from = 0; from < length; from++) {
        char c = text[from];
        if (c == '%') {
            if (length - from < 3) return -1;
            int high = hex_digit(text[from + 1]);
            int low = hex_digit(text[from + 2]);
            if (high < 0 || low < 0) return -1;
            c = (char)(high * 16 + low);
            from += 2;
        }
        text[to++] = c;
    }
    text[to] = '\0';
    return (long)to;
}

/* Takes the next word and the one blank after it. */
static char *next_word(char **rest) {
    char *word = *rest;
    char *blank = strchr(word, ' ');
    if (blank == NULL) {
        *rest = word + strlen(word);
    } else {
        *blank = '\0';
        *rest = blank + 1;
    }
    return word;
}

static bool number(const char *word, uint32_t *value) {
    uint64_t n = 0;
    if (*word == '\0') return false;
    for (; *word != '\0'; word++) {
        if (*word < '0' || *word > '9') return false;
        n = n * 10 + (uint64_t)(*word - '0');
        if (n > UINT32_MAX) return false;
    }
    *value = (uint32_t)n;
    return true;
}

static bool is_variable(const char *text) {
    const char *equals = strchr(text, '=');
    return equals != NULL && equals != text;
}

static const struct {
    const char *verb;
    enum message_kind kind;
} VERBS[] = {
    {"ready", MESSAGE_READY}, {"set", MESSAGE_SET},
    {"default", MESSAGE_DEFAULT}, {"rank", MESSAGE_RANK},
    {"rankdefault", MESSAGE_RANK_DEFAULT}, {"go", MESSAGE_GO},
    {"stop", MESSAGE_STOP}, {"again", MESSAGE_AGAIN},
    {"hold", MESSAGE_HOLD}, {"warn", MESSAGE_WARN},
    {"directory", MESSAGE_DIRECTORY}, {"argument", MESSAGE_ARGUMENT},
    {"bind", MESSAGE_BIND}, {"signal", MESSAGE_SIGNAL}, {"input", MESSAGE_INPUT},
    {"input-end", MESSAGE_INPUT_END}, {"started", MESSAGE_STARTED},
    {"output", MESSAGE_OUTPUT}, {"taken", MESSAGE_TAKEN},
    {"pmi", MESSAGE_PMI}, {"kept", MESSAGE_KEPT}, {"fenced", MESSAGE_FENCED}, {"named", MESSAGE_NAMED},
};

static enum message_kind kind_of(const char *verb) {
    for (size_t i = 0; i < sizeof VERBS / sizeof VERBS[0]; i++) {
        if (strcmp(verb, VERBS[i].verb) == 0) return VERBS[i].kind;
    }
    return MESSAGE_UNKNOWN;
}

static const char *parse_ready(char *rest, struct message *m) {
    m->text = next_word(&rest);
    if (*m->text == '\0' || strlen(m->text) > NSPACE_BYTES_MAX) return "ready names no namespace, or too long a one";
    if (!number(next_word(&rest), &m->rank) || !number(next_word(&rest), &m->rank_count) || *rest != '\0') {
        return "ready has no two numbers after the namespace";
    }
    if (m->rank_count > RANKS_MAX || m->rank > UINT32_MAX - RANKS_MAX) return "ready has impossible ranks";
    return NULL;
}

const char *message_parse(char *line, size_t length, struct message *m) {
    memset(m, 0, sizeof *m);
    long decoded = text_decode(line, length);
    if (decoded < 0) return "a bad escape";
    bool has_zero = strlen(line) != (size_t)decoded;
    char *rest = line;
    char *verb = next_word(&rest);
    m->kind = kind_of(verb);
    if (has_zero && m->kind != MESSAGE_INPUT && m->kind != MESSAGE_OUTPUT) return "a NUL";
    m->text = rest;
    switch (m->kind) {
        case MESSAGE_READY:
            return parse_ready(rest, m);
        case MESSAGE_RANK:
        case MESSAGE_RANK_DEFAULT:
            if (!number(next_word(&rest), &m->rank)) return "rank has no number";
            m->text = rest;
            return is_variable(rest) ? NULL : "rank has no NAME=value";
        case MESSAGE_SET:
        case MESSAGE_DEFAULT:
            return is_variable(rest) ? NULL : "set or default without NAME=value";
        case MESSAGE_STOP:
            if (!number(next_word(&rest), &m->number) || m->number > 255) return "stop has no exit code";
            m->text = rest;
            return NULL;
        case MESSAGE_GO:
        case MESSAGE_AGAIN:
        case MESSAGE_HOLD:
        case MESSAGE_INPUT_END:
        case MESSAGE_STARTED:
            return *rest == '\0' ? NULL : "go, again, hold, started or input-end with something after it";
        case MESSAGE_SIGNAL:
            return number(rest, &m->number) && m->number > 0 && m->number < SIGNALS_END ? NULL : "signal has no number of one";
        case MESSAGE_TAKEN:
            return number(rest, &m->number) ? NULL : "taken has no number";
        case MESSAGE_PMI:
            if (!number(next_word(&rest), &m->number) || m->number == 0) return "pmi has no number of ranks";
            if (!number(next_word(&rest), &m->app)) return "pmi has no app";
            m->text = rest;
            return *rest != '\0' ? NULL : "pmi has no name";
        case MESSAGE_KEPT:
            return is_variable(rest) ? NULL : "kept without KEY=value";
        case MESSAGE_FENCED:
            return number(rest, &m->number) ? NULL : "fenced has no number";
        case MESSAGE_NAMED:
            if (!number(next_word(&rest), &m->rank)) return "named has no rank";
            if (!number(next_word(&rest), &m->number)) return "named has no number";
            m->text = rest;
            return NULL;
        case MESSAGE_OUTPUT:
            if (!number(next_word(&rest), &m->rank)) return "output has no rank";
            if (!number(next_word(&rest), &m->number) || m->number < 1 || m->number > 2) return "output has no stream";
            m->text = rest;
            m->text_length = (size_t)(line + decoded - rest);
            return NULL;
        case MESSAGE_INPUT:
            m->text_length = (size_t)(line + decoded - rest);
            return NULL;
        case MESSAGE_DIRECTORY:
        case MESSAGE_ARGUMENT:
        case MESSAGE_BIND:
        case MESSAGE_WARN:
            return NULL;
        case MESSAGE_UNKNOWN:
            m->text = verb;
            return NULL;
    }
    return NULL;
}
