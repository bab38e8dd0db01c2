/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.pmix.pmixd.mesh;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import net.jqwik.api.constraints.Size;
import org.junit.jupiter.api.Test;

class FrameSealTest {
    private static final byte[] JOB = Greeting.digestOf("ns.job-0");

    private static Greeting.Seals[] pair(byte[] keyOfOne, byte[] keyOfOther) {
        Greeting hello = Greeting.fresh(JOB, 1, 0);
        Greeting answer = Greeting.fresh(JOB, 0, 1);
        return new Greeting.Seals[] {
            Greeting.seals(keyOfOne, hello, answer), Greeting.seals(keyOfOther, hello, answer),
        };
    }

    private static Greeting.Seals[] pair() {
        return pair(new byte[32], new byte[32]);
    }

    private static ByteBuffer sealed(FrameSeal seal, byte[] plain) {
        ByteBuffer out = ByteBuffer.allocate(plain.length + FrameSeal.HEADER_BYTES + FrameSeal.TAG_BYTES);
        seal.seal(ByteBuffer.wrap(plain), out);
        return out.flip().position(FrameSeal.HEADER_BYTES).slice();
    }

    private static byte[] bytes(ByteBuffer buffer) {
        byte[] bytes = new byte[buffer.remaining()];
        buffer.get(bytes);
        return bytes;
    }

    @Property(tries = 100)
    void whatOneSideSealsTheOtherOpensInOrder(@ForAll @Size(min = 1, max = 20) byte[][] frames) throws MeshException {
        Greeting.Seals[] sides = pair();
        for (byte[] frame : frames) {
            assertThat(bytes(sides[1].toResponder().open(sealed(sides[0].toResponder(), frame))))
                    .isEqualTo(frame);
            assertThat(bytes(sides[0].toInitiator().open(sealed(sides[1].toInitiator(), frame))))
                    .isEqualTo(frame);
        }
    }

    @Property(tries = 300)
    void aFrameWithOneBitChangedDoesNotOpen(
            @ForAll @Size(min = 1, max = 200) byte[] frame, @ForAll @IntRange(max = 100_000) int where) {
        Greeting.Seals[] sides = pair();
        ByteBuffer sealed = sealed(sides[0].toResponder(), frame);
        int bit = where % (sealed.remaining() * 8);
        sealed.put(bit / 8, (byte) (sealed.get(bit / 8) ^ (1 << (bit % 8))));
        assertThatThrownBy(() -> sides[1].toResponder().open(sealed))
                .isInstanceOf(MeshException.class)
                .hasMessageContaining("frame 0")
                .hasMessageContaining("not authentic");
    }

    @Test
    void aFrameThatIsRepeatedOrLeftOutDoesNotOpen() throws MeshException {
        Greeting.Seals[] sides = pair();
        byte[] frame = "data".getBytes(StandardCharsets.UTF_8);
        ByteBuffer first = sealed(sides[0].toResponder(), frame);
        assertThat(bytes(sides[1].toResponder().open(first.duplicate()))).isEqualTo(frame);
        assertThatThrownBy(() -> sides[1].toResponder().open(first)).hasMessageContaining("frame 1");

        Greeting.Seals[] others = pair();
        sealed(others[0].toResponder(), frame);
        ByteBuffer second = sealed(others[0].toResponder(), frame);
        assertThatThrownBy(() -> others[1].toResponder().open(second)).hasMessageContaining("frame 0");
    }

    @Test
    void aFrameSentBackToItsSenderDoesNotOpen() {
        Greeting.Seals[] sides = pair();
        ByteBuffer frame = sealed(sides[0].toResponder(), new byte[] {1});
        assertThatThrownBy(() -> sides[0].toInitiator().open(frame)).isInstanceOf(MeshException.class);
    }

    @Test
    void anotherJobsKeyOpensNothing() {
        byte[] key = new byte[32];
        key[31] = 1;
        Greeting.Seals[] sides = pair(new byte[32], key);
        ByteBuffer frame = sealed(sides[0].toResponder(), new byte[] {1});
        assertThatThrownBy(() -> sides[1].toResponder().open(frame)).isInstanceOf(MeshException.class);
    }

    @Test
    void lengthsThatNoFrameHasAreRefusedBeforeAnythingIsAllocated() {
        FrameSeal seal = pair()[0].toResponder();
        for (int length : new int[] {-1, 0, 16, FrameSeal.PLAIN_BYTES + 17, Integer.MAX_VALUE}) {
            assertThatThrownBy(() -> seal.checkLength(length)).hasMessageContaining("in frame 0");
        }
    }
}
