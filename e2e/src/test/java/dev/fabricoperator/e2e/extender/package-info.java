@NullMarked
package dev.fabricoperator.e2e.extender;

import org.jspecify.annotations.NullMarked;
