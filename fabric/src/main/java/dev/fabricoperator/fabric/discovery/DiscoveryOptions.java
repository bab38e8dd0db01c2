/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.fabric.discovery;

import io.soabase.recordbuilder.core.RecordBuilder;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * What the caller knows of a host beyond its files.
 *
 * @param hostname used where the host's files do not name it
 * @param internalAddresses the Kubernetes node's addresses of type InternalIP
 * @param ipv4Addresses by network interface, from the kernel's own interface list; replaces what the files under
 *     {@code /proc/net} tell, which is ambiguous where two interfaces are in one subnet. Null: not known
 * @param nvlink whether NVLink joins its accelerators, so that these are devices of a fabric: no file says it without the vendor's library
 */
@RecordBuilder
public record DiscoveryOptions(
        @Nullable String hostname,
        Set<String> internalAddresses,
        @Nullable Map<String, List<String>> ipv4Addresses,
        boolean nvlink) {

    /** Nothing is known but the files. */
    public static final DiscoveryOptions NONE = new DiscoveryOptions(null, Set.of(), null, false);

    public DiscoveryOptions {
        internalAddresses = internalAddresses == null ? Set.of() : Set.copyOf(internalAddresses);
        ipv4Addresses = ipv4Addresses == null ? null : Map.copyOf(ipv4Addresses);
    }
}
