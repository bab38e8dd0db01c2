/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.pmix.server;

/**
 * {@code pmix_proc_t}: one process, or all of a namespace.
 *
 * @param nspace at most 255 bytes
 * @param rank unsigned 32 bit; {@link #WILDCARD} is every rank of the namespace
 */
public record Proc(String nspace, int rank) {
    /** PMIX_RANK_WILDCARD, {@code UINT32_MAX - 1}. */
    public static final int WILDCARD = -2;
}
