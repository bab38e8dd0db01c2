@NullMarked
package dev.fabricoperator.cli.cluster;

import org.jspecify.annotations.NullMarked;
