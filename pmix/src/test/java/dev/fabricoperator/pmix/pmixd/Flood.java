/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.pmix.pmixd;

import java.io.IOException;
import java.net.Socket;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.nio.file.Path;

/** A program for scripts: connects to {@code HOST:PORT} or a unix socket so many times, says a byte each second time, and resets. */
final class Flood {
    private Flood() {}

    public static void main(String[] arguments) throws IOException {
        String target = arguments[0];
        int connections = Integer.parseInt(arguments[1]);
        int colon = target.lastIndexOf(':');
        int made = 0;
        int refused = 0;
        while (made + refused < connections) {
            try {
                if (colon < 0) {
                    unix(Path.of(target), made % 2);
                } else {
                    tcp(target.substring(0, colon), Integer.parseInt(target.substring(colon + 1)), made % 2);
                }
                made++;
            } catch (IOException e) {
                refused++;
            }
        }
        System.out.println("flood of " + target.replaceFirst(".*/", "") + ": " + (made > refused ? "most" : "few")
                + " of " + connections + " connections made");
    }

    private static void tcp(String host, int port, int bytes) throws IOException {
        try (Socket socket = new Socket(host, port)) {
            socket.setSoLinger(true, 0);
            socket.getOutputStream().write(new byte[bytes]);
        }
    }

    private static void unix(Path path, int bytes) throws IOException {
        try (SocketChannel channel = SocketChannel.open(UnixDomainSocketAddress.of(path))) {
            channel.write(ByteBuffer.allocate(bytes));
        }
    }
}
