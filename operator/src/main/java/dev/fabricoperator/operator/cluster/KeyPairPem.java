/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.operator.cluster;

/**
 * A certificate, its chain after it, and its key, as the Secrets of Kubernetes hold them.
 *
 * @param certificate {@code tls.crt}
 * @param key {@code tls.key}, PKCS 1, PKCS 8 or SEC 1
 */
public record KeyPairPem(String certificate, String key) {
    /** Its key is nobody's to read in a log. */
    @Override
    public String toString() {
        return "certificate and key";
    }
}
