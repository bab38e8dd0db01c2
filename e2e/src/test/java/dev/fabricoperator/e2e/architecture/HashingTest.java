/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.e2e.architecture;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fabricoperator.e2e.cluster.ProjectRoot;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

class HashingTest {
    /** Reaches a whole fabric through a list of switches. */
    private record Whole(List<dev.fabricoperator.fabric.cabling.Switch> switches) {}

    private record HoldsWhole(String name, Whole whole) {}

    /** As {@link HoldsWhole}, with a key made for it. */
    private record Keyed(String name, Whole whole) {
        @Override
        public int hashCode() {
            return name.hashCode();
        }
    }

    @Test
    void noRecordHashesAWholeFabric() throws IOException {
        Path root = ProjectRoot.find();
        List<Path> modules = Stream.of(
                        "fabric", "protocol", "pmix", "crds", "view", "formats", "agent", "sweeper", "operator", "cli")
                .map(module -> root.resolve(module).resolve("target/classes"))
                .toList();
        assertThat(modules).allSatisfy(classes -> assertThat(classes).isNotEmptyDirectory());
        assertThat(new FabricSizedRecords(modules).find())
                .as(
                        "records, and the components by which their hashCode walks over a whole fabric: write one by identity or by a key")
                .isEmpty();
    }

    @Test
    void recordsThatReachAFabricThroughOthersAreFound() throws IOException {
        List<Path> places =
                List.of(ProjectRoot.find().resolve("e2e/target/test-classes/dev/fabricoperator/e2e/architecture"));
        assertThat(Files.isDirectory(places.getFirst())).isTrue();
        assertThat(new FabricSizedRecords(places).find())
                .containsOnlyKeys(Whole.class.getName(), HoldsWhole.class.getName());
    }
}
