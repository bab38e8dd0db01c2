/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.operator.server.http;

import dev.fabricoperator.operator.server.auth.Wish;

/** What stands behind the listener. */
public interface Endpoint {
    /** What a caller must be allowed; asked before anything is looked up. */
    Wish wish(Question question) throws Refusal;

    Answer answer(Question question) throws Refusal;

    /** The fabric that a question is about, for messages and nothing else; empty where there is none. */
    String subject(Question question);
}
