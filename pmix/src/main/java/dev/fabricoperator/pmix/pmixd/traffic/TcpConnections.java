/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.pmix.pmixd.traffic;

import java.io.IOException;
import java.util.function.Consumer;

/** TCP connections of this network namespace. */
interface TcpConnections extends AutoCloseable {
    /**
     * One as it is, or as it was when it was closed.
     *
     * @param cookie of the socket, which no other one of the machine gets
     * @param inode by which the socket is found among descriptors; 0 if nobody holds it any more
     * @param local 4 or 16 bytes
     * @param peer the same
     * @param acknowledged bytes that the peer has confirmed
     * @param rttMicroseconds smoothed, 0 if not known
     */
    record Connection(
            long cookie,
            long inode,
            byte[] local,
            int localPort,
            byte[] peer,
            int peerPort,
            long acknowledged,
            long retransmits,
            long rttMicroseconds) {}

    /**
     * All that are open.
     *
     * @throws IOException if the kernel does not tell
     */
    void open(Consumer<Connection> each) throws IOException;

    /**
     * Those that were closed since the last call, as far as the kernel had room to tell of them.
     *
     * @return how often it had not
     */
    int closed(Consumer<Connection> each);

    @Override
    void close();
}
