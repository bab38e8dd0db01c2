/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.fabric.cabling;

import org.jspecify.annotations.Nullable;

/** Counts adapters whose node descriptions are in no form that names a host, for one warning about all of them. */
public final class UnreadHosts {
    private int count;
    private int line;
    private @Nullable String first;

    /** One of which {@link HostName#of} made nothing; what says itself that there is no name is not counted. */
    public void add(int line, @Nullable String description) {
        if (description == null || HostName.isNameless(description)) {
            return;
        }
        if (count++ == 0) {
            this.line = line;
            first = description;
        }
    }

    /** What to tell; {@code null} where every host was understood. */
    public @Nullable Problem problem() {
        if (first == null) {
            return null;
        }
        String whose = count == 1
                ? "1 adapter has a description that names no host as it is understood here"
                : count + " adapters have descriptions that name no host as it is understood here";
        return new Problem(
                line,
                whose + ", such as \"" + CablingCollector.printable(first)
                        + "\": to these no host is known; \"<host> <device>\", as rdma-ndd writes it, is understood");
    }
}
