@NullMarked
package dev.fabricoperator.e2e.agent;

import org.jspecify.annotations.NullMarked;
