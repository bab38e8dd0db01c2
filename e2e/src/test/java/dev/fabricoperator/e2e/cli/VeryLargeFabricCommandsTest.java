/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.e2e.cli;

import org.junit.jupiter.api.Tag;

/** Of 5,000 hosts and 10,000 devices, in the heap that the program gives itself. */
@Tag("long")
class VeryLargeFabricCommandsTest extends LargeFabricCase {
    VeryLargeFabricCommandsTest() {
        super(5_000);
    }
}
