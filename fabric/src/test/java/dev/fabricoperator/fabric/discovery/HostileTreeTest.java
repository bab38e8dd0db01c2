/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.fabric.discovery;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;

import dev.fabricoperator.fabric.device.Device;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.List;
import java.util.Random;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Recorded trees with their files damaged at random, from fixed seeds. */
class HostileTreeTest {

    @TempDir
    Path directory;

    private static List<Path> attributes(Path root) throws IOException {
        try (Stream<Path> files = Files.walk(root)) {
            return files.filter(f -> Files.isRegularFile(f, LinkOption.NOFOLLOW_LINKS))
                    .filter(f -> !f.toString().contains("/cpu/"))
                    .sorted()
                    .toList();
        }
    }

    @Test
    void damagedFilesNeverMakeDiscoveryFailNorInventDevices() throws IOException {
        Path root = Recordings.unpack("derived", "lassen28", directory);
        List<String> devices = names(HostDiscovery.discover(PathHostTree.of(root)));
        Random random = new Random(42);
        List<Path> attributes = attributes(root);
        for (int round = 0; round < 30; round++) {
            for (int i = 0; i < 12; i++) {
                Path file = attributes.get(random.nextInt(attributes.size()));
                byte[] damage = new byte[random.nextInt(6) == 0 ? 9000 : random.nextInt(24)];
                random.nextBytes(damage);
                Files.write(file, damage);
            }
            DiscoveryResult result = HostDiscovery.discover(PathHostTree.of(root));
            assertThat(devices).containsAll(names(result));
            assertThat(result.devices())
                    .allSatisfy(d -> assertThat(d.readErrors())
                            .hasSizeLessThanOrEqualTo(8)
                            .isSorted());
        }
    }

    @Test
    void anyFileMissingIsUnknownAndNeverAnError() throws IOException {
        Path root = Recordings.unpack("derived", "azure", directory);
        for (Path file : attributes(root)) {
            byte[] content = Files.readAllBytes(file);
            Files.delete(file);
            assertThatCode(() -> HostDiscovery.discover(PathHostTree.of(root))).doesNotThrowAnyException();
            assertThat(HostDiscovery.discover(PathHostTree.of(root)).devices())
                    .as("without %s", file)
                    .allSatisfy(d -> assertThat(d.readErrors()).isEmpty());
            Files.write(file, content);
        }
    }

    @Test
    void theResultDependsOnTheTreeAlone() throws IOException {
        Path root = Recordings.unpack("derived", "ulna32", directory);
        assertThat(HostDiscovery.discover(PathHostTree.of(root)))
                .isEqualTo(HostDiscovery.discover(PathHostTree.of(root)));
    }

    private static List<String> names(DiscoveryResult result) {
        return result.devices().stream().map(Device::osName).toList();
    }
}
