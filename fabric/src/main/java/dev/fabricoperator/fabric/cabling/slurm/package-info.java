/** Slurm's description of a network: {@code topology.conf}, and the lists of hosts in it. */
@NullMarked
package dev.fabricoperator.fabric.cabling.slurm;

import org.jspecify.annotations.NullMarked;
