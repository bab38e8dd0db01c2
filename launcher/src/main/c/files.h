/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef FABRIC_FILES_H
#define FABRIC_FILES_H

#include <stdbool.h>
#include <stddef.h>

/* Reads a small text file, without its last line end. false if it cannot be read, is empty or does not fit. */
bool file_read(const char *path, char *text, size_t size);

/* The last part of what the symbolic link `path` points to; false if it is none. */
bool file_link_name(const char *path, char *name, size_t size);

/* Joins like snprintf; false if it does not fit. */
__attribute__((format(printf, 3, 4))) bool path_format(char *path, size_t size, const char *format, ...);

/*
 * Sees to it that nobody but this user takes away or replaces what it puts into the directory of `path`: everybody may write there, and it is
 * of this user, so that it gets the sticky bit, which /tmp has. Nothing happens in another user's directory.
 */
void directory_of_keep_names(const char *path);

/*
 * Makes a directory that nobody but this user writes to, or finds it: a descriptor, -1 with errno where it cannot be, EPERM where what has the
 * name is no directory, a link, of another user, or others may write there.
 */
int directory_make_own(const char *path);

/* Whether `name` is `prefix` followed by a decimal number of at most 9 digits, which is put into *number. */
bool name_number(const char *name, const char *prefix, int *number);

/* Whether `text` is a PCI address, dddd:bb:dd.f (a domain may have up to 8 digits). */
bool is_pci_address(const char *text);

/*
 * Names of the entries of a directory, sorted, `.` and `..` left out: an array that ends with NULL, to be freed as one piece.
 * NULL if it cannot be read.
 */
char **directory_names(const char *path);

#endif
