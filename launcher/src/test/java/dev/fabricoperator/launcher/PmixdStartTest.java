/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.launcher;

import java.io.IOException;

/** The program as it is shipped. */
class PmixdStartTest extends PmixdStartBehaviour {
    PmixdStartTest() throws IOException {
        super("fabric-launcher");
    }
}
