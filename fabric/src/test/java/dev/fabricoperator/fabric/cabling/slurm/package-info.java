@NullMarked
package dev.fabricoperator.fabric.cabling.slurm;

import org.jspecify.annotations.NullMarked;
