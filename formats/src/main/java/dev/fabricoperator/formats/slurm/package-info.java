/** Slurm's {@code topology.yaml}, translated into cabling. */
@NullMarked
package dev.fabricoperator.formats.slurm;

import org.jspecify.annotations.NullMarked;
