@NullMarked
package dev.fabricoperator.operator.server.extender;

import org.jspecify.annotations.NullMarked;
