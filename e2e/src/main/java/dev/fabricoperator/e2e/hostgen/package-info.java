/**
 * Host trees for the hosts of a recorded fabric, so that agents have something to read.
 *
 * A dump tells GUIDs, LIDs, ports, speeds and cables of a host's adapters, and nothing else. What a kernel would say beyond that (PCI addresses, NUMA nodes,
 * firmware, the names of network interfaces) is made up, plausibly and always in the same way; every tree says so in {@code DERIVED.txt}.
 */
@NullMarked
package dev.fabricoperator.e2e.hostgen;

import org.jspecify.annotations.NullMarked;
