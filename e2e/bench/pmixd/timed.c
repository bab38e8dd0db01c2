/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 *
 * Runs each of several commands in turns and prints, for each run, "LABEL ms cpu-ms rss-kB pss-kB private-kB": from exec until
 * the WORD appears on either output, and what the process has used by then. CPU time is that of the process, not of its children.
 *
 *   timed ROUNDS LABEL WORD COMMAND... -- LABEL WORD COMMAND... -- ...
 */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static double now_ms(void)
{
    struct timespec time;

    clock_gettime(CLOCK_MONOTONIC, &time);
    return time.tv_sec * 1e3 + time.tv_nsec / 1e6;
}

static double cpu_ms(pid_t pid)
{
    struct timespec time = { 0, 0 };
    clockid_t clock;

    if (clock_getcpuclockid(pid, &clock) == 0) {
        clock_gettime(clock, &time);
    }
    return time.tv_sec * 1e3 + time.tv_nsec / 1e6;
}

static void memory(pid_t pid, long *rss, long *pss, long *own)
{
    char path[64], line[256];
    long value;
    FILE *file;

    *rss = *pss = *own = 0;
    snprintf(path, sizeof(path), "/proc/%d/smaps_rollup", pid);
    file = fopen(path, "r");
    while (file != NULL && fgets(line, sizeof(line), file) != NULL) {
        if (sscanf(line, "Rss: %ld", &value) == 1) {
            *rss = value;
        } else if (sscanf(line, "Pss: %ld", &value) == 1) {
            *pss = value;
        } else if (sscanf(line, "Private_Clean: %ld", &value) == 1 || sscanf(line, "Private_Dirty: %ld", &value) == 1) {
            *own += value;
        }
    }
    if (file != NULL) {
        fclose(file);
    }
}

static void run(const char *label, const char *word, char **command)
{
    int output[2], input[2], used = 0;
    char text[65536] = "";
    double start;
    ssize_t got;
    pid_t pid;
    long rss, pss, own;

    if (pipe(output) != 0 || pipe(input) != 0) {
        exit(1);
    }
    start = now_ms();
    pid = fork();
    if (pid == 0) {
        dup2(input[0], 0);
        dup2(output[1], 1);
        dup2(output[1], 2);
        close(input[1]);
        close(output[0]);
        execvp(command[0], command);
        _exit(127);
    }
    close(output[1]);
    close(input[0]);
    while ((got = read(output[0], text + used, sizeof(text) - 1 - used)) > 0) {
        used += got;
        text[used] = '\0';
        if (strstr(text, word) != NULL) {
            double ready = now_ms() - start;
            double cpu = cpu_ms(pid);
            memory(pid, &rss, &pss, &own);
            printf("%s %.1f %.1f %ld %ld %ld\n", label, ready, cpu, rss, pss, own);
            break;
        }
    }
    if (got <= 0) {
        fprintf(stderr, "%s never came so far: %s\n", label, text);
    }
    fflush(stdout);
    close(input[1]);
    kill(pid, SIGKILL);
    waitpid(pid, NULL, 0);
    close(output[0]);
}

int main(int argc, char **argv)
{
    int rounds = argc > 2 ? atoi(argv[1]) : 0;

    for (int i = 2; i < argc; i++) {
        if (strcmp(argv[i], "--") == 0) {
            argv[i] = NULL;
        }
    }
    for (int round = 0; round < rounds; round++) {
        for (int i = 2; i < argc; i++) {
            if (i == 2 || argv[i - 1] == NULL) {
                run(argv[i], argv[i + 1], &argv[i + 2]);
            }
        }
    }
    return 0;
}
