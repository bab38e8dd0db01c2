@NullMarked
package dev.fabricoperator.sources.slurm;

import org.jspecify.annotations.NullMarked;
