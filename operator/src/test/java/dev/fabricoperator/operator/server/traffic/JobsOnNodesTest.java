/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.operator.server.traffic;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fabricoperator.operator.launch.OwnerRef;
import dev.fabricoperator.operator.launch.PodFact;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class JobsOnNodesTest {
    private final JobsOnNodes jobs = new JobsOnNodes();

    private static PodFact pod(String job, String name, @Nullable String node, PodFact.Life life) {
        return new PodFact(
                "lab",
                name,
                "uid-" + name,
                "1",
                "2026-11-28T12:00:00Z",
                node,
                List.of(),
                Map.of(),
                new OwnerRef("batch/v1", "Job", job, "uid-" + job),
                true,
                null,
                null,
                life);
    }

    @Test
    void aJobIsOnTheNodesOfItsPodsUntilTheseHaveEnded() {
        PodFact first = pod("ring", "ring-0", "n1", PodFact.Life.Alive);
        PodFact second = pod("ring", "ring-1", "n2", PodFact.Life.Alive);
        jobs.seen(null, first);
        jobs.seen(null, second);
        jobs.seen(null, pod("ring", "ring-2", null, PodFact.Life.Alive));
        jobs.seen(null, pod("other", "other-0", "n2", PodFact.Life.Alive));

        assertThat(jobs.all(Map.of()).get(new JobsOnNodes.Name("lab", "ring"))).containsExactly("n1", "n2");
        assertThat(jobs.all(Map.of()).get(new JobsOnNodes.Name("lab", "other"))).containsExactly("n2");

        jobs.seen(first, pod("ring", "ring-0", "n1", PodFact.Life.Succeeded));
        jobs.seen(second, null);
        assertThat(jobs.all(Map.of())).containsOnlyKeys(new JobsOnNodes.Name("lab", "other"));
    }
}
