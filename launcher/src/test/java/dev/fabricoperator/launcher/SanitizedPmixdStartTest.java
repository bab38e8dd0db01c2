/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.launcher;

import java.io.IOException;

/** The program with checks of each memory access. */
class SanitizedPmixdStartTest extends PmixdStartBehaviour {
    SanitizedPmixdStartTest() throws IOException {
        super("fabric-launcher-sanitized");
    }
}
