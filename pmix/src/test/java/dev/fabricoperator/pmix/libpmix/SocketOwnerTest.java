/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.pmix.libpmix;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.fabricoperator.pmix.foreign.Native;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class SocketOwnerTest {
    private final Native calls = new Native("libc.so.6");

    @TempDir
    Path proc;

    @Test
    void theKernelTellsWhoMadeASocketOfThisNetworkNamespace() throws IOException {
        try (ServerSocket listener = new ServerSocket(0, 5, InetAddress.getLoopbackAddress());
                Socket client = new Socket(InetAddress.getLoopbackAddress(), listener.getLocalPort())) {
            SocketOwner owner =
                    SocketOwner.of(calls, (InetSocketAddress) client.getLocalSocketAddress(), (InetSocketAddress)
                            client.getRemoteSocketAddress());

            assertThat(owner.uid()).isEqualTo(Files.getAttribute(Path.of("/proc/self"), "unix:uid"));
            assertThat(new ContainerSockets(Path.of("/proc")).isHeld(owner.inode()))
                    .isTrue();
        }
    }

    /** The kernel would name root as its user. */
    @Test
    void aSocketThatIsClosedIsHeldByNobody() throws IOException {
        try (ServerSocket listener = new ServerSocket(0, 5, InetAddress.getLoopbackAddress());
                Socket client = new Socket(InetAddress.getLoopbackAddress(), listener.getLocalPort());
                Socket accepted = listener.accept()) {
            InetSocketAddress from = (InetSocketAddress) client.getLocalSocketAddress();
            client.close();

            SocketOwner owner = SocketOwner.of(calls, from, (InetSocketAddress) accepted.getLocalSocketAddress());

            assertThat(owner.inode()).isZero();
        }
    }

    @Test
    void aConnectionThatIsNoneHasNoOwner() throws IOException {
        try (ServerSocket listener = new ServerSocket(0, 5, InetAddress.getLoopbackAddress())) {
            InetSocketAddress there = (InetSocketAddress) listener.getLocalSocketAddress();

            // The listener itself is found by its port alone.
            assertThatThrownBy(() -> SocketOwner.of(calls, there, new InetSocketAddress("127.0.0.1", 9)))
                    .isInstanceOf(SocketOwner.UnansweredException.class)
                    .hasMessage("the kernel knows no socket from port " + there.getPort());
        }
    }

    private void process(String name, String groups, String... links) throws IOException {
        Path descriptors = Files.createDirectories(proc.resolve(name).resolve("fd"));
        Files.writeString(proc.resolve(name).resolve("cgroup"), groups);
        for (int i = 0; i < links.length; i++) {
            Files.createSymbolicLink(descriptors.resolve(Integer.toString(i)), Path.of(links[i]));
        }
    }

    @Test
    void aContainersProcessesAreThoseOfItsControlGroupsThatAreSeen() throws IOException {
        process("self", "0::/pod-1/ranks\n");
        process("7", "0::/pod-1/ranks\n", "/dev/null", "socket:[4711]");
        process("8", "0::/pod-2/ranks\n", "socket:[4712]");
        Files.createDirectories(proc.resolve("9"));

        ContainerSockets sockets = new ContainerSockets(proc);
        assertThat(sockets.isHeld(4711)).isTrue();
        assertThat(sockets.isHeld(4712)).isFalse();
        assertThat(sockets.isHeld(4713)).isFalse();
        assertThat(sockets.isHeld(0)).isFalse();
    }

    @Test
    void manyRanksThatConnectAtOneTimeAreFoundByOneLook() throws IOException {
        process("self", "0::/pod-1/ranks\n");
        for (int rank = 0; rank < 50; rank++) {
            process(Integer.toString(100 + rank), "0::/pod-1/ranks\n", "socket:[" + (5000 + rank) + "]");
        }
        AtomicInteger looks = new AtomicInteger();
        ContainerSockets sockets = new ContainerSockets(proc) {
            @Override
            public Set<Long> look() {
                looks.incrementAndGet();
                return super.look();
            }
        };

        for (int rank = 0; rank < 50; rank++) {
            assertThat(sockets.isHeld(5000 + rank)).isTrue();
        }
        assertThat(looks).hasValue(1);

        process("200", "0::/pod-1/ranks\n", "socket:[6000]");
        assertThat(sockets.isHeld(6000)).isTrue();
        assertThat(looks).hasValue(2);
    }
}
