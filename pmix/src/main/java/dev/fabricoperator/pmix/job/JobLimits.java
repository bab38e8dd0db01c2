/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.pmix.job;

/** Bounds that admission, templates, pmixd and the launcher share; the launcher's own is RANKS_MAX of its message.h. */
public final class JobLimits {
    /** Of one pod: more than the hardware threads of any host. */
    public static final int RANKS_PER_POD = 1024;

    private JobLimits() {}
}
