/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
/** Asking a UFM appliance over HTTPS, page by page; what the pages say is for a reader of cabling. */
@NullMarked
package dev.fabricoperator.operator.controller.source.ufm;

import org.jspecify.annotations.NullMarked;
