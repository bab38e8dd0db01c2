/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 *
 * Runs each of several commands in turns and prints, for each run, "LABEL ms cpu-ms rss-kB pss-kB private-kB": from exec until the
 * first line with "ready" on either output, and what the process has used by then.
 *
 *   timed ROUNDS LABEL COMMAND... -- LABEL COMMAND... -- ...
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

static long cpu_ms(pid_t pid)
{
    char path[64], line[1024], *rest;
    unsigned long user = 0, kernel = 0;
    FILE *file;

    snprintf(path, sizeof(path), "/proc/%d/stat", pid);
    file = fopen(path, "r");
    if (file != NULL && fgets(line, sizeof(line), file) != NULL && (rest = strrchr(line, ')')) != NULL) {
        sscanf(rest + 2, "%*c %*d %*d %*d %*d %*d %*u %*u %*u %*u %*u %lu %lu", &user, &kernel);
    }
    if (file != NULL) {
        fclose(file);
    }
    return (long) ((user + kernel) * 1000 / sysconf(_SC_CLK_TCK));
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

static void run(const char *label, char **command)
{
    int output[2], input[2], used = 0;
    char text[65536];
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
        execv(command[0], command);
        _exit(127);
    }
    close(output[1]);
    close(input[0]);
    while ((got = read(output[0], text + used, sizeof(text) - 1 - used)) > 0) {
        used += got;
        text[used] = '\0';
        if (strstr(text, "ready") != NULL) {
            double ready = now_ms() - start;
            long cpu = cpu_ms(pid);
            memory(pid, &rss, &pss, &own);
            printf("%s %.1f %ld %ld %ld %ld\n", label, ready, cpu, rss, pss, own);
            break;
        }
    }
    if (got <= 0) {
        fprintf(stderr, "%s never was ready: %s\n", label, text);
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
                run(argv[i], &argv[i + 1]);
            }
        }
    }
    return 0;
}
