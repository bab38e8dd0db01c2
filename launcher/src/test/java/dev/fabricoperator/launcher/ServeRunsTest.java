/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.launcher;

import java.io.IOException;

/** The program that is shipped. */
class ServeRunsTest extends ServeRunsBehaviour {
    ServeRunsTest() throws IOException {
        super("fabric-launcher");
    }
}
