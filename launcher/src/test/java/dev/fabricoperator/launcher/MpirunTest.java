/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.launcher;

import java.io.IOException;

/** The program that is shipped. */
class MpirunTest extends MpirunBehaviour {
    MpirunTest() throws IOException {
        super("fabric-launcher");
    }
}
