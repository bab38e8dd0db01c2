/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.operator.server.http;

import io.smallrye.config.WithDefault;
import java.time.Duration;

/** What can be taken of a listener at most, by everybody together and by one client's address. */
public interface ListenerSettings {
    /** Open connections. Where there are as many, that of the address which holds the most of them without having shown anything valid gives way. */
    @WithDefault("1024")
    int connections();

    /** Open connections of one address; more are closed before TLS begins. */
    @WithDefault("256")
    int connectionsPerAddress();

    /** Connections of one address that are in their TLS handshake; more are closed before TLS begins. */
    @WithDefault("64")
    int handshakesPerAddress();

    /** A TLS handshake ends after this time. */
    @WithDefault("10s")
    Duration handshake();

    /** A connection ends when no request of it has been in work for this time, unless one was allowed to do what it asked. */
    @WithDefault("10s")
    Duration unproven();

    /** A connection of which a request was allowed ends when none has been in work for this time. Go's clients give up a connection after 90 s. */
    @WithDefault("100s")
    Duration idle();

    /** Requests in work, waiting ones included; more get 429. */
    @WithDefault("1024")
    int requests();

    /** Requests in work of one address. */
    @WithDefault("512")
    int requestsPerAddress();

    /** HTTP/2 streams of one connection. */
    @WithDefault("250")
    int streamsPerConnection();

    /** Most bytes of the first line and of all header fields of a request. */
    @WithDefault("65536")
    int headerBytes();

    /** A request's body is there after this time, or the connection ends. */
    @WithDefault("10s")
    Duration body();

    /** Bytes that have come of the bodies of requests in work, and at most an eighth of the heap; more get 503. One address may take half of it. */
    @WithDefault("16")
    int bodiesMebibytes();

    /** A client has taken an answer after this time, or the connection ends. */
    @WithDefault("30s")
    Duration write();
}
