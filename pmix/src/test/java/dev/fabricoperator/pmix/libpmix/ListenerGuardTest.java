/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.pmix.libpmix;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fabricoperator.pmix.foreign.Native;
import java.net.InetSocketAddress;
import java.net.StandardProtocolFamily;
import java.net.StandardSocketOptions;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import org.junit.jupiter.api.Test;

/** A socket of this process in the place of the library's. */
class ListenerGuardTest {
    @Test
    void anAcceptedConnectionSendsEachMessageAtOnce() throws Exception {
        try (ServerSocketChannel library = ServerSocketChannel.open(StandardProtocolFamily.INET)) {
            library.bind(new InetSocketAddress("127.0.0.1", 0));
            ListenerGuard guard = ListenerGuard.of(
                    new Native("libc.so.6"), library.socket().getLocalPort(), new byte[ListenerGuard.KEY_BYTES]);
            try (SocketChannel filter = guard.connect();
                    SocketChannel accepted = library.accept()) {
                assertThat(filter.finishConnect()).isTrue();
                assertThat(accepted.getOption(StandardSocketOptions.TCP_NODELAY))
                        .as("TCP_NODELAY, which the library does not set itself")
                        .isTrue();
            }
        }
    }
}
