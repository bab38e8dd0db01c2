/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.pmix.libpmix;

import dev.fabricoperator.pmix.libpmix.HandshakeFilter.Clients;
import dev.fabricoperator.pmix.server.PmixHost;
import dev.fabricoperator.pmix.server.PmixServer;
import dev.fabricoperator.pmix.server.PodValues;
import dev.fabricoperator.pmix.server.Proc;
import dev.fabricoperator.pmix.server.Reply;
import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.net.SocketException;
import java.util.List;
import java.util.Random;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * Damaged handshakes against the filter with the real library behind it, then a good one: prints how many were refused
 * and what the library said at last. Arguments: seed, how many.
 */
final class FuzzProgram implements PmixHost {
    private static final int WHO = 0;

    private FuzzProgram() {}

    public static void main(String[] arguments) throws IOException {
        Random random = new Random(Long.parseLong(arguments[0]));
        int count = Integer.parseInt(arguments[1]);
        AtomicInteger refused = new AtomicInteger();
        byte[] good = HandshakeBytes.of(HostProgram.NSPACE, 0, WHO, WHO);
        try (HandshakeFilter filter =
                        HandshakeFilter.open(0, Clients.OfContainer, reason -> refused.incrementAndGet());
                PmixServer server = LibpmixServer.start(HostProgram.config("job-0"), filter, new FuzzProgram())) {
            server.registerJob(SampleJob.of(HostProgram.NSPACE, 1, 1), 0, PodValues.UNKNOWN);
            server.registerClient(HostProgram.NSPACE, 0, WHO, WHO);
            filter.expect(HostProgram.NSPACE, 0, WHO, WHO);
            send(filter.port(), HandshakeBytes.of(HostProgram.NSPACE, 0, WHO + 1, WHO));
            send(filter.port(), HandshakeBytes.of("other.job-0", 0, WHO, WHO));
            Socket silent = new Socket(InetAddress.getLoopbackAddress(), filter.port());
            int answered = 0;
            for (int i = 0; i < count; i++) {
                answered += send(filter.port(), HandshakeBytes.damaged(good, random)) == 0 ? 1 : 0;
            }
            System.out.println("refused " + refused + " answered " + answered + " of " + (count + 2));
            System.out.println("last " + send(filter.port(), good));
            silent.close();
        }
        System.exit(0);
    }

    /** Sends, says that no more will come, and gives the status that the library answers, or 1 for none. */
    private static int send(int port, byte[] bytes) throws IOException {
        try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), port)) {
            socket.setSoTimeout(5000);
            socket.getOutputStream().write(bytes);
            boolean whole = bytes.length >= 16
                    && bytes.length
                            == 16
                                    + java.nio.ByteBuffer.wrap(bytes)
                                            .order(java.nio.ByteOrder.nativeOrder())
                                            .getInt(8);
            if (!whole) {
                socket.shutdownOutput();
            }
            byte[] answer = socket.getInputStream().readNBytes(4);
            return answer.length == 4 ? java.nio.ByteBuffer.wrap(answer).getInt() : 1;
        } catch (SocketException reset) {
            return 1;
        }
    }

    @Override
    public void fence(List<Proc> participants, boolean collect, int status, byte[] data, Reply<byte[]> reply) {
        reply.succeed(data);
    }

    @Override
    public void directModex(Proc proc, Reply<byte[]> reply) {
        reply.succeed(null);
    }

    @Override
    public void connected(Proc proc) {}

    @Override
    public void finalized(Proc proc) {}

    @Override
    public void abort(Proc proc, int status, String message, List<Proc> targets, Reply<Void> reply) {
        reply.succeed(null);
    }

    @Override
    public void event(int code, @Nullable Proc source, @Nullable String text) {}

    @Override
    public void refused(Proc proc, String what) {}

    /** Nobody comes so far as to call it. */
    @Override
    public void log(Proc proc, List<String> lines, Reply<Void> reply) {}
}
