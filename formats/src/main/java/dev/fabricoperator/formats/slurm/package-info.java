/** Slurm's {@code topology.conf} and {@code topology.yaml}, translated into cabling. */
@NullMarked
package dev.fabricoperator.formats.slurm;

import org.jspecify.annotations.NullMarked;
