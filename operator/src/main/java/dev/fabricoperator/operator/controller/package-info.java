/** What runs when something changes: the pass over the model and the two reconcilers. */
@NullMarked
package dev.fabricoperator.operator.controller;

import org.jspecify.annotations.NullMarked;
