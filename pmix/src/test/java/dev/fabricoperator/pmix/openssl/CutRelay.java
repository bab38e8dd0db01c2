/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.pmix.openssl;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLServerSocket;
import javax.net.ssl.SSLSocket;

/** A TLS server behind a relay that can be cut, so that the client's connection ends without a word of TLS. */
final class CutRelay implements AutoCloseable {
    private final SSLServerSocket server;
    private final ServerSocket relay;
    private final List<Socket> sockets = new CopyOnWriteArrayList<>();

    CutRelay(SSLContext context) throws IOException {
        InetAddress loopback = InetAddress.getLoopbackAddress();
        server = (SSLServerSocket) context.getServerSocketFactory().createServerSocket(0, 1, loopback);
        relay = new ServerSocket(0, 1, loopback);
        daemon(() -> {
            SSLSocket socket = (SSLSocket) server.accept();
            socket.getInputStream().readAllBytes();
        });
        daemon(() -> {
            Socket client = relay.accept();
            Socket inner = new Socket(loopback, server.getLocalPort());
            sockets.add(client);
            daemon(() -> copy(client, inner));
            copy(inner, client);
        });
    }

    private interface Task {
        void run() throws IOException;
    }

    private static void daemon(Task task) {
        Thread thread = new Thread(() -> {
            try {
                task.run();
            } catch (IOException e) {
                // Cut, as it is meant to be.
            }
        });
        thread.setDaemon(true);
        thread.start();
    }

    private static void copy(Socket from, Socket to) throws IOException {
        InputStream in = from.getInputStream();
        OutputStream out = to.getOutputStream();
        in.transferTo(out);
    }

    int port() {
        return relay.getLocalPort();
    }

    void cut() throws IOException {
        for (Socket socket : sockets) {
            socket.close();
        }
    }

    @Override
    public void close() throws IOException {
        cut();
        relay.close();
        server.close();
    }
}
