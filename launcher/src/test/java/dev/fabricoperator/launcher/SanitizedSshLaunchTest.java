/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.launcher;

/** The same sources under the address and undefined behaviour sanitizers. */
class SanitizedSshLaunchTest extends SshLaunchBehaviour {
    SanitizedSshLaunchTest() {
        super("fabric-launcher-sanitized");
    }
}
