/** Tests. */
@NullMarked
package dev.fabricoperator.operator.controller.integration.volcano;

import org.jspecify.annotations.NullMarked;
