/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
/** What the query API and the command line both say, in the form in which both print it. */
@NullMarked
package dev.fabricoperator.view.answer;

import org.jspecify.annotations.NullMarked;
