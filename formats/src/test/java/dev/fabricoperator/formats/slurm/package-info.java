@NullMarked
package dev.fabricoperator.formats.slurm;

import org.jspecify.annotations.NullMarked;
