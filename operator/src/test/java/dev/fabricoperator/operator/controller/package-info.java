/** Tests of when passes are made. */
@NullMarked
package dev.fabricoperator.operator.controller;

import org.jspecify.annotations.NullMarked;
