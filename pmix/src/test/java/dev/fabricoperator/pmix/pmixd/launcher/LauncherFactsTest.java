/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.pmix.pmixd.launcher;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.fabricoperator.pmix.server.RankBinding;
import java.nio.charset.StandardCharsets;
import java.util.List;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import org.junit.jupiter.api.Test;

class LauncherFactsTest {
    private static LauncherFacts facts(String... lines) {
        LauncherFacts.Lines gathered = new LauncherFacts.Lines();
        for (String line : lines) {
            gathered.add(LineFormat.split(line, ' ').toArray(new String[0]));
        }
        return gathered.facts();
    }

    @Test
    void everyLineOfTheProtocolIsTakenAndUnknownOnesPass() {
        LauncherFacts facts = facts(
                "uid 4294967294",
                "gid 0",
                "cpus 0-1,4",
                "numa 0,2",
                "ranks 2",
                "rdma mlx5_0 1 98039b0300677c9a 0000:05:00.0",
                "rdma mlx5_1 1 - -",
                "cxi cxi0 0000:21:00.0",
                "net eth0 0a:58:0a:01:00:07 - 10.1.0.7,fd00::7",
                "net dummy0 - -",
                "home-unset",
                "topology-shared",
                "wdir /work here",
                "argv python -m train 100%",
                "cpu-time 1500",
                "memory 8589934592",
                "something new");
        assertThat(facts.uid()).isEqualTo(-2);
        assertThat(facts.cpus()).isEqualTo("0-1,4");
        assertThat(facts.numaNodes()).isEqualTo("0,2");
        assertThat(facts.directory()).isEqualTo("/work here");
        assertThat(facts.arguments()).isEqualTo("python -m train 100%");
        assertThat(facts.cpuMillis()).isEqualTo(1500);
        assertThat(facts.memoryBytes()).isEqualTo(8L << 30);
        assertThat(facts.homeUnset()).isTrue();
        assertThat(facts.userKnown()).isFalse();
        assertThat(facts.topologyShared()).isTrue();
        assertThat(facts.rdma())
                .containsExactly(
                        new LauncherFacts.RdmaPort("mlx5_0", 1, "98039b0300677c9a", "0000:05:00.0"),
                        new LauncherFacts.RdmaPort("mlx5_1", 1, null, null));
        assertThat(facts.interfaces())
                .containsExactly(
                        new LauncherFacts.Interface("eth0", "0a:58:0a:01:00:07", null, List.of("10.1.0.7", "fd00::7")),
                        new LauncherFacts.Interface("dummy0", null, null, List.of()));
    }

    @Test
    void aGreetingWithoutUserOrRanksIsNone() {
        assertThatThrownBy(() -> facts("gid 0", "ranks 1")).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> facts("uid 0", "gid 0")).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> facts("uid 0", "gid 0", "ranks -1")).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> facts("rdma mlx5_0")).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> facts("uid x")).isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void allRanksAreBoundOrNone() {
        assertThat(facts("uid 0", "gid 0", "ranks 2", "bound 0 0-1 SK0:CR0", "bound 1 2-3 SK0:CR2")
                        .bindings())
                .containsExactly(new RankBinding("0-1", "SK0:CR0"), new RankBinding("2-3", "SK0:CR2"));
        assertThat(facts("uid 0", "gid 0", "ranks 2").bindings()).isEmpty();
        assertThatThrownBy(() -> facts("uid 0", "gid 0", "ranks 2", "bound 0 0-1 SK0:CR0"))
                .hasMessageContaining("binds 1 of 2 ranks");
        assertThatThrownBy(() -> facts("uid 0", "gid 0", "ranks 2", "bound 1 0-1 SK0:CR0"))
                .hasMessageContaining("leaves out the CPUs of rank 0");
        assertThatThrownBy(() -> facts("uid 0", "gid 0", "ranks 1", "bound 0 0-1"))
                .isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void mpirunHasNoRanksOfItsOwn() {
        assertThat(facts("uid 0", "gid 0", "ranks 0").ranks()).isZero();
    }

    @Property(tries = 200)
    void whatIsEscapedIsOneLineAndComesBack(@ForAll String text) {
        String plain = new String(text.getBytes(StandardCharsets.UTF_8), StandardCharsets.UTF_8);
        assertThat(LineFormat.escape(plain)).doesNotContain("\n");
        assertThat(LineFormat.unescape(LineFormat.escape(plain))).isEqualTo(plain);
    }

    @Test
    void aBadEscapeIsRefused() {
        for (String bad : List.of("%", "%4", "%zz")) {
            assertThatThrownBy(() -> LineFormat.unescape(bad)).isInstanceOf(IllegalArgumentException.class);
        }
    }
}
