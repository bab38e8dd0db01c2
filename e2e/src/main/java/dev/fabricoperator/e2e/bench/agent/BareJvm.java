/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.e2e.bench.agent;

/** The floor: a JVM that does nothing. */
final class BareJvm {
    private BareJvm() {}

    public static void main(String[] arguments) throws InterruptedException {
        System.out.println("ready");
        Thread.sleep(Long.MAX_VALUE);
    }
}
