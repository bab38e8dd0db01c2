/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.e2e.bench.pmixd;

import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.lang.management.ManagementFactory;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.util.Arrays;
import java.util.Locale;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLServerSocket;
import javax.net.ssl.SSLSocket;
import javax.net.ssl.TrustManagerFactory;

/**
 * The mesh's frames beside TLS 1.3 between two pods: {@code SecurityReport frames}, {@code SecurityReport psk-tls} (OpenSSL, with the job's key as
 * external PSK, and what a stranger's half ClientHello takes), or {@code SecurityReport mutual-tls KEYSTORE} (Java's). Prints milliseconds and CPU milliseconds until a new process has exchanged its first message, then a further
 * connection and a round trip of 1,500 and 60,000 bytes when warm.
 */
final class SecurityReport {
    private static final char[] PASSWORD = {'s', 'e', 'c', 'r', 'e', 't'};
    private static final int[] BYTES = {1_500, 60_000};
    private static final int CONNECTIONS = 100;
    private static final int ROUNDS = 3_000;

    private SecurityReport() {}

    /** A way to connect and to exchange messages. */
    private interface Kind {
        Pair connect() throws Exception;
    }

    private interface Pair extends AutoCloseable {
        long exchange(int bytes) throws Exception;

        @Override
        void close() throws IOException;
    }

    public static void main(String[] arguments) throws Exception {
        long start = System.nanoTime();
        Kind kind = arguments[0].equals("frames")
                ? SecurityReport::frames
                : arguments[0].equals("psk-tls")
                        ? SecurityReport::preShared
                        : new MutualTls(Path.of(arguments[1]))::connect;
        double firstMillis;
        double firstCpu;
        try (Pair pair = kind.connect()) {
            pair.exchange(BYTES[0]);
            firstMillis = (System.nanoTime() - start) / 1e6;
            firstCpu = cpuMillis();
        }
        long[] connections = new long[CONNECTIONS];
        for (int i = 0; i < CONNECTIONS; i++) {
            long before = System.nanoTime();
            try (Pair pair = kind.connect()) {
                pair.exchange(BYTES[0]);
                connections[i] = System.nanoTime() - before;
            }
        }
        StringBuilder line = new StringBuilder();
        line.append(String.format(
                Locale.ROOT,
                "%-12s first %7.1f ms, %7.0f CPU ms; next connection %6.2f ms",
                arguments[0],
                firstMillis,
                firstCpu,
                median(connections) / 1e6));
        try (Pair pair = kind.connect()) {
            for (int bytes : BYTES) {
                long[] trips = new long[ROUNDS];
                for (int i = 0; i < ROUNDS; i++) {
                    trips[i] = pair.exchange(bytes);
                }
                line.append(String.format(Locale.ROOT, "; %d bytes %6.1f us", bytes, median(trips) / 1e3));
            }
        }
        if (arguments[0].equals("psk-tls")) {
            line.append("; a stranger ").append(PskTls.bytesOfAStranger(2_000)).append(" bytes");
        }
        System.out.println(line);
    }

    private static long median(long[] values) {
        Arrays.sort(values);
        return values[values.length / 2];
    }

    private static double cpuMillis() {
        return ManagementFactory.getPlatformMXBean(com.sun.management.OperatingSystemMXBean.class)
                        .getProcessCpuTime()
                / 1e6;
    }

    /** A fence of two pods is a message each way. */
    private static Pair frames() throws IOException {
        SimulatedPods pods = new SimulatedPods(2, 1, 2);
        return new Pair() {
            @Override
            public long exchange(int bytes) throws InterruptedException {
                return pods.fence(bytes / 2);
            }

            @Override
            public void close() {
                pods.close();
            }
        };
    }

    private static Pair preShared() throws IOException {
        InetAddress loopback = InetAddress.getByAddress(new byte[] {127, 0, 0, 1});
        ServerSocket server = new ServerSocket(0, 1, loopback);
        Thread other = new Thread(() -> echoPreShared(server), "other");
        other.setDaemon(true);
        other.start();
        Socket socket = new Socket(loopback, server.getLocalPort());
        socket.setTcpNoDelay(true);
        PskTls tls = new PskTls(socket, false);
        return new Pair() {
            @Override
            public long exchange(int bytes) throws IOException {
                long start = System.nanoTime();
                tls.write(MutualTls.message(bytes));
                tls.read(Integer.BYTES + bytes);
                return System.nanoTime() - start;
            }

            @Override
            public void close() throws IOException {
                tls.close();
                server.close();
            }
        };
    }

    private static void echoPreShared(ServerSocket server) {
        try (Socket socket = server.accept()) {
            socket.setTcpNoDelay(true);
            try (PskTls tls = new PskTls(socket, true)) {
                while (true) {
                    int bytes = ByteBuffer.wrap(tls.read(Integer.BYTES)).getInt();
                    tls.read(bytes);
                    tls.write(MutualTls.message(bytes));
                }
            }
        } catch (IOException e) {
            // The other end is done.
        }
    }

    private static final class MutualTls {
        private final SSLContext context;

        MutualTls(Path keys) throws GeneralSecurityException, IOException {
            KeyStore store = KeyStore.getInstance("PKCS12");
            try (InputStream in = Files.newInputStream(keys)) {
                store.load(in, PASSWORD);
            }
            KeyManagerFactory own = KeyManagerFactory.getInstance("PKIX");
            own.init(store, PASSWORD);
            KeyStore authorities = KeyStore.getInstance("PKCS12");
            authorities.load(null, null);
            authorities.setCertificateEntry("job", store.getCertificate("job"));
            TrustManagerFactory trust = TrustManagerFactory.getInstance("PKIX");
            trust.init(authorities);
            context = SSLContext.getInstance("TLSv1.3");
            context.init(own.getKeyManagers(), trust.getTrustManagers(), null);
        }

        Pair connect() throws IOException {
            InetAddress loopback = InetAddress.getByAddress(new byte[] {127, 0, 0, 1});
            SSLServerSocket server =
                    (SSLServerSocket) context.getServerSocketFactory().createServerSocket(0, 1, loopback);
            server.setNeedClientAuth(true);
            Thread other = new Thread(() -> echo(server), "other");
            other.setDaemon(true);
            other.start();
            SSLSocket socket = (SSLSocket) context.getSocketFactory().createSocket(loopback, server.getLocalPort());
            socket.setTcpNoDelay(true);
            // Each connection is to a pod that this one has not met: nothing to resume.
            context.getClientSessionContext().setSessionTimeout(1);
            context.getClientSessionContext().setSessionCacheSize(1);
            DataInputStream in = new DataInputStream(socket.getInputStream());
            return new Pair() {
                @Override
                public long exchange(int bytes) throws IOException {
                    long start = System.nanoTime();
                    socket.getOutputStream().write(message(bytes));
                    in.readFully(new byte[in.readInt()]);
                    return System.nanoTime() - start;
                }

                @Override
                public void close() throws IOException {
                    socket.close();
                    server.close();
                }
            };
        }

        private static byte[] message(int bytes) {
            byte[] message = new byte[Integer.BYTES + bytes];
            message[0] = (byte) (bytes >>> 24);
            message[1] = (byte) (bytes >>> 16);
            message[2] = (byte) (bytes >>> 8);
            message[3] = (byte) bytes;
            return message;
        }

        private static void echo(SSLServerSocket server) {
            try (SSLSocket socket = (SSLSocket) server.accept()) {
                socket.setTcpNoDelay(true);
                DataInputStream in = new DataInputStream(socket.getInputStream());
                DataOutputStream out = new DataOutputStream(socket.getOutputStream());
                while (true) {
                    byte[] body = new byte[in.readInt()];
                    in.readFully(body);
                    out.write(message(body.length));
                }
            } catch (IOException e) {
                // The other end is done.
            }
        }
    }
}
