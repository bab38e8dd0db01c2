/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
/**
 * OpenSSL 3 of the distribution: TLS 1.3 as a client, AES-256-GCM, HKDF, SHA-256, random bytes. Called for its start, which
 * costs a process a few milliseconds where Java's own providers cost hundreds.
 */
@NullMarked
package dev.fabricoperator.pmix.openssl;

import org.jspecify.annotations.NullMarked;
