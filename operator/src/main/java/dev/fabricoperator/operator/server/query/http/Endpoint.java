/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.operator.server.query.http;

import dev.fabricoperator.operator.server.auth.AccessAttributes;

/** What stands behind the listener. */
public interface Endpoint {
    /** What a caller must be allowed; asked before anything is looked up. */
    AccessAttributes attributes(QueryRequest request) throws StatusException;

    QueryResponse answer(QueryRequest request) throws StatusException;

    /** The fabric that a request is about, for messages and nothing else; empty where there is none. */
    String subject(QueryRequest request);
}
