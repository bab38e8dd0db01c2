/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.operator.server.query;

/** Names of the query API. */
public final class QueryApi {
    public static final String GROUP = "query.fabric-operator.dev";
    public static final String VERSION = "v1alpha1";
    public static final String GROUP_VERSION = GROUP + "/" + VERSION;

    /** On every answer about a fabric: the generation that it is of. */
    public static final String HEADER_GENERATION = "Fabric-Generation";
    /** On every answer about a fabric: the digest of its cost matrix. */
    public static final String HEADER_DIGEST = "Fabric-Cost-Digest";
    /** On costs: {@code device}, or {@code switch} where the matrix is that of the switches that hold devices. */
    public static final String HEADER_LEVEL = "Fabric-Cost-Level";

    private QueryApi() {}
}
