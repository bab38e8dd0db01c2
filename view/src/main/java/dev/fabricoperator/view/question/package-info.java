/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
/** Questions about fabrics: how each is asked of the query API, and how it is answered, by the API's server and by a program that holds the fabrics itself. */
@NullMarked
package dev.fabricoperator.view.question;

import org.jspecify.annotations.NullMarked;
