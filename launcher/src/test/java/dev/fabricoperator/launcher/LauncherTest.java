/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.launcher;

import java.io.IOException;

/** The program that is shipped. */
class LauncherTest extends LauncherBehaviour {
    LauncherTest() throws IOException {
        super("fabric-launcher");
    }
}
