/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.pmix.foreign;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.function.LongBinaryOperator;
import java.util.function.LongUnaryOperator;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Calls of the C library, down and up. */
class NativeTest {
    private final Native calls = new Native("libc.so.6");
    private final List<Native.Upcall> lent = new ArrayList<>();

    @AfterEach
    void release() {
        lent.forEach(Native::release);
    }

    private long lend(LongBinaryOperator function) {
        Native.Upcall upcall = new Native.Upcall() {
            @Override
            public long call(long a, long b, long c, long d, long e, long f, long g, long h) {
                return function.applyAsLong(a, b);
            }
        };
        lent.add(upcall);
        return Native.pointer(upcall);
    }

    /** In a thread that C makes; what it returned. */
    private long inThread(LongUnaryOperator body, long argument) {
        long start = lend((a, b) -> body.applyAsLong(a));
        long room = calls.allocate(2 * Long.BYTES);
        try {
            assertThat((int) calls.call(calls.function("pthread_create"), room, 0, start, argument, 0, 0, 0))
                    .isZero();
            long thread = Native.view(room, Long.BYTES).getLong(0);
            assertThat((int) calls.call(calls.function("pthread_join"), thread, room + Long.BYTES, 0))
                    .isZero();
            return Native.view(room, 2 * Long.BYTES).getLong(Long.BYTES);
        } finally {
            calls.free(room);
        }
    }

    @Test
    void aFunctionOfCSortsByAComparisonOfJava() {
        long[] numbers = {5, -3, 9_000_000_000L, 0, -3};
        long room = calls.allocate((long) numbers.length * Long.BYTES);
        Native.view(room, (long) numbers.length * Long.BYTES).asLongBuffer().put(numbers);
        long compare = lend((a, b) -> Long.compare(
                Native.view(a, Long.BYTES).getLong(0),
                Native.view(b, Long.BYTES).getLong(0)));

        calls.call(calls.function("qsort"), room, numbers.length, Long.BYTES, compare, 0, 0, 0);

        long[] sorted = new long[numbers.length];
        Native.view(room, (long) numbers.length * Long.BYTES).asLongBuffer().get(sorted);
        calls.free(room);
        assertThat(sorted).containsExactly(-3, -3, 0, 5, 9_000_000_000L);
    }

    @Test
    void aThreadOfCComesIntoJavaAndLeavesNoThreadBehind() {
        ConcurrentLinkedQueue<Thread> seen = new ConcurrentLinkedQueue<>();
        for (int i = 0; i < 20; i++) {
            assertThat(inThread(
                            argument -> {
                                seen.add(Thread.currentThread());
                                return argument + 1;
                            },
                            41))
                    .isEqualTo(42);
        }
        assertThat(seen).doesNotHaveDuplicates().hasSize(20).allSatisfy(thread -> {
            assertThat(thread.isDaemon()).isTrue();
            assertThat(thread.isAlive()).isFalse();
        });
    }

    @Test
    void whatJavaThrowsIsAnErrorForC() {
        assertThat(inThread(
                        argument -> {
                            throw new IllegalStateException("for a test");
                        },
                        0))
                .isEqualTo(-1);
    }

    @Test
    void pointersAreFewAndReleasedOnesAreLentAgain() {
        assertThatThrownBy(() -> {
                    while (true) {
                        lend((a, b) -> 0);
                    }
                })
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("in use");
        Native.release(lent.remove(7));
        lend((a, b) -> 0);
        assertThatThrownBy(() -> lend((a, b) -> 0)).isInstanceOf(IllegalStateException.class);
        lent.removeLast();
    }

    @Test
    void whatIsNotThereIsNamed() {
        assertThatThrownBy(() -> new Native("libnothing.so.9")).hasMessageContaining("libnothing.so.9");
        assertThatThrownBy(() -> calls.function("no_such_function")).hasMessageContaining("no_such_function");
    }

    /** Never returns; what the test starts. */
    static final class Ending {
        private Ending() {}

        public static void main(String[] arguments) {
            Runtime.getRuntime().addShutdownHook(new Thread(() -> System.out.println("farewell")));
            Native.exit(7);
            System.out.println("still there");
        }
    }

    @Test
    void theProcessEndsWithItsCodeAndNoFarewell() throws IOException, InterruptedException {
        Process process = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-cp",
                        System.getProperty("java.class.path"),
                        "--enable-native-access=ALL-UNNAMED",
                        Ending.class.getName())
                .redirectErrorStream(true)
                .start();
        assertThat(new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8))
                .isEmpty();
        assertThat(process.waitFor()).isEqualTo(7);
    }
}
