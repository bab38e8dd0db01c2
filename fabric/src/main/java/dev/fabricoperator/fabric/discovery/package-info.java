/**
 * Reads a host and yields its fabric devices as values.
 *
 * <p>Identity comes first (which devices are there), then enrichment that is the same for every device however it was
 * found: PCI function, NUMA distances, accelerators, network interface, addresses. The result is sorted and depends on
 * the tree alone. Nothing here fails: what cannot be read is absent and named as a read error.
 */
@NullMarked
package dev.fabricoperator.fabric.discovery;

import org.jspecify.annotations.NullMarked;
