/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
/** A fabric drawn for people: by level, by coordinates or by groups, with a job's ranks and what is wrong on it. */
@NullMarked
package dev.fabricoperator.formats.map;

import org.jspecify.annotations.NullMarked;
