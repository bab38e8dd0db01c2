/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.e2e.hostile;

import dev.fabricoperator.e2e.operator.TrustingAnybody;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.net.StandardSocketOptions;
import java.net.URI;
import java.net.UnixDomainSocketAddress;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.Base64;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.UUID;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLSocket;

/**
 * Abuses one listener for a while, then prints what it got: {@code Attacker ATTACK tcp:HOST:PORT|unix:PATH SECONDS [TOKEN]}.
 *
 * <p>A program of its own, with nothing but the JDK's classes and two of ours, so that it can be run in the network namespace of a node
 * or of a pod. It stops by itself.
 */
public final class Attacker {
    /** The file numbers of a process are bounded, too. */
    private static final int MOST_CONNECTIONS = 2_000;

    private static final int THREADS = 8;
    private static final int SLOW_CONNECTIONS = 200;
    private static final int CHUNK_BYTES = 64 * 1024;
    private static final int CONNECT_MILLISECONDS = 2_000;
    /** A TLS record of a ClientHello, and what pmixd's mesh and libpmix's clients could begin with: a length. */
    private static final byte[] BEGINNING = {0x16, 0x03, 0x01, 0x02, 0x00, 0x01, 0x00, 0x01, (byte) 0xfc, 0x03, 0x03};

    private static final List<String> PATHS = List.of(
            "/pods", "/bindings", "/v1/join", "/v1/watch", "/v1/event", "/v1/map", "/apis", "/q/health/ready", "/");

    private final Attack attack;
    private final SocketAddress target;
    private final String token;
    private final long deadline;
    private final AtomicLong connections = new AtomicLong();
    private final AtomicLong failures = new AtomicLong();
    private final AtomicLong bytes = new AtomicLong();
    private final Map<Integer, AtomicInteger> statuses = new TreeMap<>();

    private Attacker(Attack attack, SocketAddress target, int seconds, String token) {
        this.attack = attack;
        this.target = target;
        this.token = token;
        this.deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(seconds);
    }

    /** The words of a command line that attacks {@code target}. */
    public static List<String> command(Attack attack, String target, int seconds, String token) {
        return List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-Xmx256m",
                "-XX:TieredStopAtLevel=1",
                // The JDK's client checks names, and nobody has a certificate for an address.
                "-Djdk.internal.httpclient.disableHostnameVerification=true",
                "-cp",
                Path.of(Attacker.class
                                .getProtectionDomain()
                                .getCodeSource()
                                .getLocation()
                                .getPath())
                        .toString(),
                Attacker.class.getName(),
                attack.name(),
                target,
                Integer.toString(seconds),
                token);
    }

    public static void main(String[] arguments) throws InterruptedException {
        String[] words = arguments[1].split(":", 2);
        SocketAddress target = words[0].equals("unix")
                ? UnixDomainSocketAddress.of(words[1])
                : new InetSocketAddress(
                        words[1].substring(0, words[1].lastIndexOf(':')),
                        Integer.parseInt(words[1].substring(words[1].lastIndexOf(':') + 1)));
        Attacker attacker = new Attacker(
                Attack.valueOf(arguments[0]),
                target,
                Integer.parseInt(arguments[2]),
                arguments.length > 3 ? arguments[3] : "");
        attacker.run();
        System.out.println(attacker.summary());
        // Connections that still wait for an answer would hold the process up.
        System.exit(0);
    }

    private void run() throws InterruptedException {
        try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
            List<Future<?>> running = java.util.stream.IntStream.range(0, width())
                    .<Future<?>>mapToObj(i -> threads.submit(this::repeat))
                    .toList();
            for (Future<?> each : running) {
                try {
                    each.get(Math.max(1, deadline - System.nanoTime()) + 2_000_000_000L, TimeUnit.NANOSECONDS);
                } catch (ExecutionException e) {
                    throw new IllegalStateException("defect of the attacker", e.getCause());
                } catch (TimeoutException e) {
                    each.cancel(true);
                }
            }
            threads.shutdownNow();
        }
    }

    private int width() {
        return switch (attack) {
            case SLOW, SLOW_REQUESTS -> SLOW_CONNECTIONS;
            case HALF_OPEN -> 1;
            default -> THREADS;
        };
    }

    private boolean isTime() {
        return System.nanoTime() < deadline;
    }

    private void repeat() {
        while (isTime()) {
            try {
                once();
            } catch (IOException | GeneralSecurityException e) {
                failures.incrementAndGet();
                pause(1);
            }
        }
    }

    private void once() throws IOException, GeneralSecurityException {
        switch (attack) {
            case RESETS -> reset();
            case HALF_OPEN -> holdMany();
            case GARBAGE -> send(random(1024 + ThreadLocalRandom.current().nextInt(CHUNK_BYTES)), 1);
            case SLOW -> sendSlowly();
            case OVERSIZED -> sendEndlessly();
            case WRONG_TLS -> breakHandshake();
            case INVENTED_PATHS -> requests("");
            case INVENTED_TOKENS -> requests("invented");
            case FOREIGN_TOKEN -> requests("foreign");
            case HUGE_BODIES -> sendBody();
            case SLOW_REQUESTS -> requestSlowly();
            case STREAM_RESETS -> resetStreams();
        }
    }

    private SocketChannel connect() throws IOException {
        SocketChannel channel = target instanceof InetSocketAddress ? SocketChannel.open() : SocketChannel.open(target);
        if (target instanceof InetSocketAddress) {
            try {
                channel.socket().connect(target, CONNECT_MILLISECONDS);
            } catch (IOException e) {
                channel.close();
                throw e;
            }
        }
        connections.incrementAndGet();
        return channel;
    }

    private void reset() throws IOException {
        try (SocketChannel channel = connect()) {
            if (target instanceof InetSocketAddress) {
                channel.setOption(StandardSocketOptions.SO_LINGER, 0);
            }
            if (ThreadLocalRandom.current().nextBoolean()) {
                channel.write(
                        ByteBuffer.wrap(random(1 + ThreadLocalRandom.current().nextInt(80))));
            }
        }
    }

    private void holdMany() throws IOException {
        Deque<SocketChannel> held = new ArrayDeque<>();
        try {
            while (isTime()) {
                if (held.size() < MOST_CONNECTIONS) {
                    held.add(connect());
                } else {
                    held.removeFirst().close();
                }
            }
        } finally {
            for (SocketChannel channel : held) {
                channel.close();
            }
        }
    }

    private void send(byte[] message, int times) throws IOException {
        try (SocketChannel channel = connect()) {
            for (int i = 0; i < times && isTime(); i++) {
                bytes.addAndGet(channel.write(ByteBuffer.wrap(message)));
            }
        }
    }

    private void sendSlowly() throws IOException {
        try (SocketChannel channel = connect()) {
            for (int i = 0; isTime(); i++) {
                channel.write(ByteBuffer.wrap(new byte[] {i < BEGINNING.length ? BEGINNING[i] : 0}));
                bytes.incrementAndGet();
                pause(100);
            }
        }
    }

    private void sendEndlessly() throws IOException {
        byte[] ones = new byte[CHUNK_BYTES];
        Arrays.fill(ones, (byte) 0xff);
        try (SocketChannel channel = connect()) {
            channel.configureBlocking(false);
            long stuck = System.nanoTime() + 500_000_000L;
            while (isTime() && System.nanoTime() < stuck) {
                int written = channel.write(ByteBuffer.wrap(ones));
                bytes.addAndGet(written);
                if (written > 0) {
                    stuck = System.nanoTime() + 500_000_000L;
                } else {
                    pause(5);
                }
            }
        }
    }

    private void breakHandshake() throws IOException, GeneralSecurityException {
        int way = ThreadLocalRandom.current().nextInt(3);
        if (way == 0) {
            // A record that claims to be a ClientHello, of random content.
            byte[] hello = random(512);
            System.arraycopy(BEGINNING, 0, hello, 0, BEGINNING.length);
            send(hello, 1);
        } else if (way == 1) {
            try (SSLSocket socket = tlsSocket()) {
                socket.setEnabledProtocols(new String[] {"TLSv1.2"});
                socket.setEnabledCipherSuites(new String[] {"TLS_ECDHE_RSA_WITH_AES_128_CBC_SHA"});
                socket.startHandshake();
            }
        } else {
            // Good, then garbage instead of records.
            try (SSLSocket socket = tlsSocket()) {
                socket.startHandshake();
                socket.getOutputStream().write(random(2048));
                read(socket, 1);
            }
        }
    }

    private SSLSocket tlsSocket() throws IOException, GeneralSecurityException {
        InetSocketAddress address = (InetSocketAddress) target;
        SSLContext context = TrustingAnybody.context();
        SSLSocket socket = (SSLSocket) context.getSocketFactory().createSocket(address.getAddress(), address.getPort());
        socket.setSoTimeout(CONNECT_MILLISECONDS);
        connections.incrementAndGet();
        return socket;
    }

    /** Many requests on one connection, as long as the server keeps it. */
    private void requests(String kind) throws IOException, GeneralSecurityException {
        try (SSLSocket socket = tlsSocket()) {
            socket.startHandshake();
            boolean open = true;
            while (open && isTime()) {
                String path = kind.isEmpty()
                        ? "/" + UUID.randomUUID() + "/" + UUID.randomUUID()
                        : PATHS.get(ThreadLocalRandom.current().nextInt(PATHS.size()));
                boolean get = ThreadLocalRandom.current().nextBoolean();
                StringBuilder text = new StringBuilder(get ? "GET " : "POST ")
                        .append(path)
                        .append(" HTTP/1.1\r\nHost: x\r\nContent-Type: application/octet-stream\r\n");
                if (!kind.isEmpty()) {
                    text.append("Authorization: Bearer ")
                            .append(kind.equals("foreign") ? token : inventedToken())
                            .append("\r\n");
                }
                text.append(get ? "\r\n" : "Content-Length: 64\r\n\r\n" + "x".repeat(64));
                socket.getOutputStream().write(text.toString().getBytes(StandardCharsets.US_ASCII));
                open = read(socket, CHUNK_BYTES);
            }
        }
    }

    /** @return whether the other side has answered and keeps the connection */
    private boolean read(SSLSocket socket, int most) throws IOException {
        byte[] answer = new byte[most];
        int count = socket.getInputStream().read(answer);
        if (count < 0) {
            return false;
        }
        String text = new String(answer, 0, count, StandardCharsets.US_ASCII);
        if (text.startsWith("HTTP/1.1 ") && count > 12) {
            count(Integer.parseInt(text.substring(9, 12)));
        }
        return true;
    }

    private void count(int status) {
        synchronized (statuses) {
            statuses.computeIfAbsent(status, first -> new AtomicInteger()).incrementAndGet();
        }
    }

    /** Right in form, audience and time; nobody has signed it. */
    private static String inventedToken() {
        Base64.Encoder encoder = Base64.getUrlEncoder().withoutPadding();
        long now = System.currentTimeMillis() / 1000;
        String header = "{\"alg\":\"RS256\",\"kid\":\"" + UUID.randomUUID() + "\"}";
        String claims = "{\"aud\":[\"fabric-operator-jobs\"],\"exp\":" + (now + 3600) + ",\"iat\":" + now
                + ",\"iss\":\"https://kubernetes.default.svc\",\"jti\":\"" + UUID.randomUUID()
                + "\",\"sub\":\"system:serviceaccount:jobs:default\"}";
        return encoder.encodeToString(header.getBytes(StandardCharsets.UTF_8)) + "."
                + encoder.encodeToString(claims.getBytes(StandardCharsets.UTF_8)) + "."
                + encoder.encodeToString(random(256));
    }

    private void sendBody() throws IOException, GeneralSecurityException {
        try (SSLSocket socket = tlsSocket()) {
            socket.startHandshake();
            String path = PATHS.get(ThreadLocalRandom.current().nextInt(PATHS.size()));
            socket.getOutputStream()
                    .write(("POST " + path
                                    + " HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nAuthorization: Bearer "
                                    + inventedToken() + "\r\nContent-Length: 9000000000\r\n\r\n")
                            .getBytes(StandardCharsets.US_ASCII));
            byte[] part = new byte[16 * 1024];
            Arrays.fill(part, (byte) ' ');
            while (isTime()) {
                socket.getOutputStream().write(part);
                bytes.addAndGet(part.length);
            }
        }
    }

    private void requestSlowly() throws IOException, GeneralSecurityException {
        try (SSLSocket socket = tlsSocket()) {
            socket.startHandshake();
            byte[] text =
                    ("POST /pods HTTP/1.1\r\nHost: x\r\nX-" + "y".repeat(4096)).getBytes(StandardCharsets.US_ASCII);
            for (int i = 0; i < text.length && isTime(); i++) {
                socket.getOutputStream().write(text[i]);
                bytes.incrementAndGet();
                pause(100);
            }
        }
    }

    private void resetStreams() throws IOException, GeneralSecurityException {
        InetSocketAddress address = (InetSocketAddress) target;
        URI uri = URI.create("https://" + address.getHostString() + ":" + address.getPort() + "/apis");
        try (HttpClient client = HttpClient.newBuilder()
                .sslContext(TrustingAnybody.context())
                .version(HttpClient.Version.HTTP_2)
                .connectTimeout(Duration.ofMillis(CONNECT_MILLISECONDS))
                .build()) {
            connections.incrementAndGet();
            while (isTime()) {
                List<? extends Future<HttpResponse<String>>> sent = java.util.stream.IntStream.range(0, 100)
                        .mapToObj(i -> client.sendAsync(
                                HttpRequest.newBuilder(uri)
                                        .header("Authorization", "Bearer " + inventedToken())
                                        .build(),
                                HttpResponse.BodyHandlers.ofString()))
                        .toList();
                pause(2);
                sent.forEach(each -> each.cancel(true));
                bytes.addAndGet(sent.size());
            }
            client.shutdownNow();
        }
    }

    private static byte[] random(int length) {
        byte[] made = new byte[length];
        ThreadLocalRandom.current().nextBytes(made);
        return made;
    }

    private static void pause(long milliseconds) {
        try {
            Thread.sleep(milliseconds);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private String summary() {
        return connections + " connections, " + failures + " failed, " + bytes + " bytes, answers " + statuses;
    }
}
