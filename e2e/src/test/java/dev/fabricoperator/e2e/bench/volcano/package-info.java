@NullMarked
package dev.fabricoperator.e2e.bench.volcano;

import org.jspecify.annotations.NullMarked;
