/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.launcher;

/** The program that is shipped. */
class SshLaunchTest extends SshLaunchBehaviour {
    SshLaunchTest() {
        super("fabric-launcher");
    }
}
