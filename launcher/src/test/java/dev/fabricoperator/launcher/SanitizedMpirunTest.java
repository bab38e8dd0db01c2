/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.launcher;

import java.io.IOException;

/** The same sources under the address and undefined behaviour sanitizers. */
class SanitizedMpirunTest extends MpirunBehaviour {
    SanitizedMpirunTest() throws IOException {
        super("fabric-launcher-sanitized");
    }
}
