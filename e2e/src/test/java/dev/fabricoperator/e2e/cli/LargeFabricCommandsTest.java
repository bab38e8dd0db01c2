/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.e2e.cli;

/** Of 1,000 hosts and 2,000 devices. */
class LargeFabricCommandsTest extends LargeFabricCase {
    LargeFabricCommandsTest() {
        super(1_000);
    }
}
