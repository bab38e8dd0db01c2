/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.operator.server.auth;

/** What somebody wants, in the words of RBAC. */
public sealed interface AccessAttributes {
    /** @param subresource empty for the fabric as such */
    record OfFabric(String group, String version, String name, String subresource, String verb)
            implements AccessAttributes {}

    /** Of a job of a namespace. */
    record OfJob(String group, String version, String namespace, String name, String subresource)
            implements AccessAttributes {}

    /** Discovery and OpenAPI: what {@code system:discovery} gives to everybody who is authenticated. */
    record OfPath(String path) implements AccessAttributes {}
}
