/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.operator.server.auth;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fabricoperator.operator.HandMovedClock;
import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ExpiringCacheTest {
    private final HandMovedClock clock = new HandMovedClock(Instant.parse("2026-01-01T00:00:00Z"));
    private final ExpiringCache<String, String> cache = new ExpiringCache<>(2, Duration.ofSeconds(10), clock.steady());

    @Test
    void anAnswerIsBelievedForItsTimeAndNoLonger() {
        cache.put("a", "yes");
        clock.move(Duration.ofSeconds(9));
        assertThat(cache.get("a")).isEqualTo("yes");
        clock.move(Duration.ofSeconds(1));
        assertThat(cache.get("a")).isNull();
        assertThat(cache.size()).isZero();
    }

    @Test
    void whatWasUsedLongestAgoMakesRoom() {
        cache.put("a", "1");
        cache.put("b", "2");
        assertThat(cache.get("a")).isEqualTo("1");
        cache.put("c", "3");
        assertThat(cache.get("b")).isNull();
        assertThat(cache.get("a")).isEqualTo("1");
        assertThat(cache.get("c")).isEqualTo("3");
    }

    @Test
    void toForgetASubjectTakesNoLookAtTheOthers() {
        AtomicInteger looks = new AtomicInteger();
        ExpiringCache<String, String> bySubject =
                new ExpiringCache<>(10_000, Duration.ofSeconds(10), clock.steady(), value -> {
                    looks.incrementAndGet();
                    return value;
                });
        for (int i = 0; i < 10_000; i++) {
            bySubject.put("token " + i, "pod " + i / 2);
        }
        looks.set(0);
        bySubject.forget("pod 7");
        assertThat(looks).hasValueLessThan(10);
        assertThat(bySubject.get("token 14")).isNull();
        assertThat(bySubject.get("token 15")).isNull();
        assertThat(bySubject.size()).isEqualTo(9_998);
    }

    @Test
    void subjectsGoWithTheirAnswers() {
        ExpiringCache<String, String> bySubject =
                new ExpiringCache<>(2, Duration.ofSeconds(10), clock.steady(), value -> value);
        bySubject.put("a", "one");
        bySubject.put("a", "two");
        bySubject.put("b", "two");
        bySubject.put("c", "three");
        assertThat(bySubject.subjects()).isEqualTo(2);
        clock.move(Duration.ofSeconds(10));
        assertThat(bySubject.get("b")).isNull();
        assertThat(bySubject.get("c")).isNull();
        assertThat(bySubject.subjects()).isZero();
    }

    @ParameterizedTest
    @ValueSource(longs = {-90, 90})
    void aClockThatIsSetChangesNothing(long seconds) {
        cache.put("a", "yes");
        clock.set(Duration.ofSeconds(seconds));
        assertThat(cache.get("a")).isEqualTo("yes");
        clock.move(Duration.ofSeconds(10));
        assertThat(cache.get("a")).isNull();
    }
}
