/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef FABRIC_MPIRUN_H
#define FABRIC_MPIRUN_H

#include "bind.h"
#include "bytes.h"

#include <stdbool.h>
#include <stdint.h>

enum mpirun_verdict {
    MPIRUN_UNDERSTOOD,
    MPIRUN_REFUSED, /* the image's own mpirun is to run it, and `refusal` says why */
    MPIRUN_OWN      /* a question about the image's mpirun: its help, its version */
};

/* A command line of mpirun, as Open MPI 4 and 5 have it, or of Hydra, as MPICH and Intel MPI do. */
struct mpirun {
    bool hydra;
    uint32_t ranks;   /* 0: as many as there are slots */
    uint32_t per_pod; /* 0: as many as a worker has slots */
    bool oversubscribe;
    enum bind bind;
    bool tagged;
    bool merged; /* standard error goes where standard output goes */
    bool quiet;
    bool without_input;
    bool hands_on_nothing; /* of the environment, unless it is named */
    int timeout_seconds;   /* 0: none */
    const char *directory; /* NULL: that of mpirun itself */
    char **command;        /* ends with NULL */
    struct bytes variables; /* of the ranks: NAME=value, each ended by a zero byte; of a name that is there twice the last counts */
    struct bytes notes;     /* sentences, each ended by a zero byte */
    char refusal[512];
};

/*
 * What `arguments` (NULL at the end; without the program's name) ask for in `environment`, which also says whose they are: where one of Hydra's hostfiles is
 * named, as the MPI Operator does, they are Hydra's. To be freed in any case.
 */
enum mpirun_verdict mpirun_parse(struct mpirun *mpirun, char **arguments, char *const environment[]);
void mpirun_free(struct mpirun *mpirun);

/* Programs that users call to start an MPI job; NULL at the end. */
extern const char *const MPIRUN_NAMES[];
/* Whether `path` is that of one of them. */
bool is_mpirun(const char *path);

#endif
