/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.pmix.libpmix;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.ByteBuffer;
import java.util.Random;
import org.junit.jupiter.api.Test;

class HandshakeTest {
    private static final String NSPACE = "ns.job-1234-0";

    private static Handshake read(byte[] bytes) throws Handshake.RefusedException {
        ByteBuffer buffer = ByteBuffer.wrap(bytes);
        int length = Handshake.length(buffer);
        return Handshake.read(buffer.limit(Math.min(length, bytes.length)));
    }

    private static byte[] with(
            String security, int credential, int kind, String version, String packing, String store) {
        return HandshakeBytes.of(
                security, credential, kind, NSPACE, 3, 1000, 1001, version, packing, 1, store, new byte[0]);
    }

    @Test
    void aClientsMessageIsReadWithWhoItSaysItIs() throws Handshake.RefusedException {
        assertThat(read(HandshakeBytes.of(NSPACE, 3, 1000, 1001)))
                .isEqualTo(new Handshake(NSPACE, 3, 1000, 1001, false));
        assertThat(read(with("native", 8, 0, "7.0.0rc1", "v41", "hash")).rank()).isEqualTo(3);
    }

    @Test
    void aToolsMessageIsReadWithTheNameThatItHasGivenItself() throws Handshake.RefusedException {
        assertThat(read(HandshakeBytes.tool("pquery.pod-0.17", 1000, 1001)))
                .isEqualTo(new Handshake("pquery.pod-0.17", 0, 1000, 1001, true));
        assertThat(read(HandshakeBytes.tool(null, 1000, 1001))).isEqualTo(new Handshake("", 0, 1000, 1001, true));
    }

    @Test
    void aToolWhoseNameIsNoAsciiIsRefused() {
        assertThatThrownBy(() -> read(HandshakeBytes.tool("pquery.\u00fc", 1000, 1001)))
                .hasMessage("a name that is not ASCII");
    }

    @Test
    void aToolThatNamesTwoUsersIsRefused() {
        byte[] bytes = HandshakeBytes.tool("pquery.pod-0.17", 1000, 1001);
        int secondUser = Handshake.HEADER + "native".length() + 1 + 3 * Integer.BYTES + 1;
        ByteBuffer.wrap(bytes).putInt(secondUser, 0);
        assertThatThrownBy(() -> read(bytes)).hasMessage("a tool of two users");
    }

    @Test
    void everythingElseIsRefusedByName() {
        assertThatThrownBy(() ->
                        read("GET / HTTP/1.1\r\nHost: x\r\n\r\n".getBytes(java.nio.charset.StandardCharsets.UTF_8)))
                .hasMessage("not a PMIx handshake");
        assertThatThrownBy(() -> read(with("munge", 8, 0, "5.0.7", "v41", "hash")))
                .hasMessage("a security other than native");
        assertThatThrownBy(() -> read(with("native", 0x7fffffff, 0, "5.0.7", "v41", "hash")))
                .hasMessage("a credential of another length");
        assertThatThrownBy(() -> read(with("native", 8, 6, "5.0.7", "v41", "hash")))
                .hasMessage("a launcher or scheduler, not a client or tool");
        assertThatThrownBy(() -> read(with("native", 8, 0, "2.0.1", "v20", "hash")))
                .hasMessage("no version of PMIx");
        assertThatThrownBy(() -> read(with("native", 8, 0, "five", "v41", "hash")))
                .hasMessage("no version of PMIx");
        assertThatThrownBy(() -> read(with("native", 8, 0, "5.0.7", "v99", "hash")))
                .hasMessage("a packing that this libpmix does not have");
        assertThatThrownBy(() -> read(with("native", 8, 0, "5.0.7", "v41", "shmem2")))
                .hasMessage("a data store other than hash");
    }

    @Test
    void noDamageEscapesAsAnythingButARefusal() {
        byte[] good = HandshakeBytes.of(NSPACE, 3, 1000, 1001);
        Random random = new Random(1);
        int refused = 0;
        for (int i = 0; i < 20_000; i++) {
            byte[] bytes = HandshakeBytes.damaged(good, random);
            if (bytes.length < Handshake.HEADER) {
                continue;
            }
            try {
                assertThat(read(bytes).nspace().length()).isLessThanOrEqualTo(Layout.MAX_NSLEN);
            } catch (Handshake.RefusedException expected) {
                refused++;
            }
        }
        assertThat(refused).isGreaterThan(10_000);
    }
}
