/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.pmix.pmixd;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.fabricoperator.pmix.pmixd.loop.EventLoop;
import dev.fabricoperator.pmix.server.PmixServer;
import java.lang.reflect.Proxy;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class LibraryWatchTest {
    private final EventLoop loop = new EventLoop();
    private final AtomicInteger asked = new AtomicInteger();

    private static PmixServer asked(Consumer<Runnable> question) {
        return (PmixServer) Proxy.newProxyInstance(
                PmixServer.class.getClassLoader(), new Class<?>[] {PmixServer.class}, (proxy, method, arguments) -> {
                    question.accept((Runnable) arguments[0]);
                    return null;
                });
    }

    /** @param answers how many questions it answers; the next one does not return */
    private PmixServer library(int answers) {
        return asked(reached -> {
            if (asked.incrementAndGet() <= answers) {
                reached.run();
            } else {
                hold(60_000);
            }
        });
    }

    @Test
    void aLibraryThatAnswersNoMoreEndsTheLoop() {
        new LibraryWatch(loop, library(3), 1, 2_000);
        assertThatThrownBy(loop::run).hasMessage("libpmix has not answered for 2 s");
        assertThat(asked).hasValue(4);
    }

    /** As of a virtual machine that is moved: the library goes on with its question when this process does. */
    @Test
    void timeInWhichTheProcessWasHeldUpDoesNotCount() {
        PmixServer library = asked(reached -> {
            if (asked.incrementAndGet() == 1) {
                loop.execute(() -> {
                    hold(4_000);
                    loop.after(300, reached);
                });
            } else {
                loop.stop();
            }
        });
        new LibraryWatch(loop, library, 1, 1_500);
        loop.run();
        assertThat(asked.get()).isEqualTo(2);
    }

    private static void hold(long millis) {
        try {
            Thread.sleep(millis);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    @Test
    void nobodyIsAskedAfterTheEnd() {
        LibraryWatch watch = new LibraryWatch(loop, library(0), 1, 50);
        loop.after(20, watch::close);
        loop.after(200, loop::stop);
        loop.run();
        assertThat(asked.get()).isLessThanOrEqualTo(1);
    }
}
