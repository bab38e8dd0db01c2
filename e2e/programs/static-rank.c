/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
/* One static program, as all that an image has: a rank that needs no library, and finds its PMIx server listening. */

#include <arpa/inet.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

int main(void) {
    const char *rank = getenv("PMIX_RANK"), *nspace = getenv("PMIX_NAMESPACE"), *uri = getenv("PMIX_SERVER_URI41");
    const char *port = uri == NULL ? NULL : strrchr(uri, ':');
    if (rank == NULL || nspace == NULL || port == NULL) {
        fprintf(stderr, "static-rank: not launched directly\n");
        return 2;
    }
    struct sockaddr_in server = {.sin_family = AF_INET, .sin_port = htons((uint16_t)atoi(port + 1)), .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    int fd = socket(AF_INET, SOCK_STREAM, 0);
    if (fd < 0 || connect(fd, (struct sockaddr *)&server, sizeof server) != 0) {
        perror("static-rank: its PMIx server");
        return 3;
    }
    close(fd);
    printf("static rank %s of %s, uid %u\n", rank, nspace, (unsigned)getuid());
    return 0;
}
