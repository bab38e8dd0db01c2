@NullMarked
package dev.fabricoperator.agent;

import org.jspecify.annotations.NullMarked;
