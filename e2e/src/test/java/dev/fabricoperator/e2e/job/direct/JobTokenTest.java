/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.e2e.job.direct;

import static dev.fabricoperator.e2e.job.direct.FaultCase.RANKS;
import static dev.fabricoperator.e2e.job.direct.FaultCase.annotated;
import static dev.fabricoperator.e2e.job.direct.FaultCase.job;
import static dev.fabricoperator.e2e.job.direct.FaultCase.soon;
import static org.assertj.core.api.Assertions.assertThat;

import dev.fabricoperator.e2e.junit.OnRealNodes;
import io.fabric8.kubernetes.api.model.Pod;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

@OnRealNodes
@ExtendWith(LaunchClusterExtension.class)
class JobTokenTest {
    /** Ranks say it by other digits, so that no log has it. */
    private static final String DIGITS = "0123456789abcdef";

    private static final String OTHER_DIGITS = "ghijklmnopqrstuv";
    private static final Pattern SAID = Pattern.compile("token ([g-v]{32}) ([g-v]{8}(-[g-v]{4}){3}-[g-v]{12})");

    private final FaultCase faults;

    JobTokenTest(FaultCase faults) {
        this.faults = faults;
    }

    @Test
    void ranksOfAllPodsHaveOneTokenThatNoObjectHasAndTheNextAttemptHasAnother() {
        String say = "echo \"token $(echo \"$FI_OPX_UUID $FI_PSM3_UUID\" | tr " + DIGITS + ' ' + OTHER_DIGITS
                + ")\"; exec mpi-steady 1000 0";
        faults.create(annotated(job("token", 2, "sh", "-c", say), "ranks-per-pod", "2"));
        Pod survivor = faults.pod("token", 0);
        Pod dies = faults.pod("token", 1);
        faults.awaitLog(survivor, RANKS, "steady: attempt 0 rank 0 of 4 begins");
        soon().untilAsserted(() -> assertThat(said(dies)).hasSize(2));
        List<String> first =
                Stream.of(survivor, dies).flatMap(pod -> said(pod).stream()).toList();
        assertThat(first).hasSize(4);
        assertThat(first.stream().distinct()).hasSize(1);

        faults.kill(dies, RANKS);

        faults.awaitLog(survivor, RANKS, "steady: attempt 1");
        List<String> both = said(survivor);
        assertThat(both).hasSize(4);
        assertThat(both.get(2)).isEqualTo(both.get(3)).isNotEqualTo(first.getFirst());
        for (String each : both) {
            String token = digits(each.substring(0, 32));
            String uuid = digits(each.substring(33));
            assertThat(uuid.replace("-", "")).isEqualTo(token);
            assertNobodyElseHas(token);
            assertNobodyElseHas(uuid);
        }
    }

    private List<String> said(Pod pod) {
        return SAID.matcher(faults.log(pod, RANKS))
                .results()
                .map(MatchResult::group)
                .map(line -> line.substring("token ".length()))
                .toList();
    }

    private static String digits(String said) {
        StringBuilder digits = new StringBuilder(said.length());
        for (char each : said.toCharArray()) {
            int digit = OTHER_DIGITS.indexOf(each);
            digits.append(digit < 0 ? each : DIGITS.charAt(digit));
        }
        return digits.toString();
    }

    private void assertNobodyElseHas(String text) {
        assertThat(filesWith(
                        "/registry/pods/" + faults.namespace + "/token-",
                        faults.cluster.controlPlane().etcdDirectory(),
                        ""))
                .as("files in which etcd keeps the pods")
                .isNotEmpty();
        assertThat(filesWith(text, faults.cluster.controlPlane().etcdDirectory(), ""))
                .isEmpty();
        assertThat(filesWith("fabric-operator", faults.cluster.directory(), ".log"))
                .as("logs")
                .isNotEmpty();
        assertThat(filesWith(text, faults.cluster.directory(), ".log")).isEmpty();
        assertThat(filesWith(text, faults.cluster.controlPlane().logs(), ".log"))
                .isEmpty();
    }

    private static List<Path> filesWith(String text, Path directory, String suffix) {
        List<Path> found = new ArrayList<>();
        try (Stream<Path> files = Files.find(
                directory,
                4,
                (path, file) -> file.isRegularFile() && path.toString().endsWith(suffix))) {
            for (Path file : (Iterable<Path>) files::iterator) {
                if (Files.readString(file, StandardCharsets.ISO_8859_1).contains(text)) {
                    found.add(file);
                }
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return found;
    }
}
