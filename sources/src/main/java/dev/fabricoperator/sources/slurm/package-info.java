/** Slurm's {@code topology.yaml}, translated into cabling. */
@NullMarked
package dev.fabricoperator.sources.slurm;

import org.jspecify.annotations.NullMarked;
