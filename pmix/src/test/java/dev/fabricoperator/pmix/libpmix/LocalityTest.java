/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.pmix.libpmix;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fabricoperator.pmix.TrixieRoot;
import dev.fabricoperator.pmix.TrixieRoot.Result;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.apache.commons.compress.archivers.tar.TarArchiveEntry;
import org.apache.commons.compress.archivers.tar.TarArchiveInputStream;
import org.apache.commons.compress.compressors.bzip2.BZip2CompressorInputStream;
import org.apache.commons.compress.compressors.xz.XZCompressorInputStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What the launcher writes of bound ranks, beside what libpmix 5.0.7 makes of the same CPUs: {@code locality.c}. */
class LocalityTest {
    private TrixieRoot root;

    @BeforeEach
    void open() {
        root = TrixieRoot.open();
    }

    @AfterEach
    void close() {
        if (root != null) {
            root.close();
        }
    }

    /** Packages with a NUMA node each: of 8 cores without threads, and of 20 with 4 threads whose numbers have a gap between the packages. */
    @ParameterizedTest
    @CsvSource({
        "recorded/stampede-c412-603.mlx4-fdr.fsroot.tar.bz2, 2, core",
        "recorded/stampede-c412-603.mlx4-fdr.fsroot.tar.bz2, 3, core",
        "recorded/stampede-c412-603.mlx4-fdr.fsroot.tar.bz2, 16, core",
        "recorded/stampede-c412-603.mlx4-fdr.fsroot.tar.bz2, 4, numa",
        "derived/lassen28.mlx5x4-socketdirect-4v100.tar.xz, 3, core",
        "derived/lassen28.mlx5x4-socketdirect-4v100.tar.xz, 40, core",
        "derived/lassen28.mlx5x4-socketdirect-4v100.tar.xz, 2, numa"
    })
    void ranksShareByTheLaunchersStringsWhatTheyShareByThoseOfLibpmix(String host, int ranks, String to)
            throws IOException {
        String launcher = "/src/launcher/src/main/c";
        String program = root.compile(
                "gcc",
                "pmix/src/test/c/locality.c",
                Stream.concat(
                                Stream.of("bind", "bytes", "facts", "files", "devices", "interfaces", "link")
                                        .map(part -> launcher + "/" + part + ".c"),
                                Stream.of("-D_GNU_SOURCE", "-I" + launcher, "-lpmix", "-lhwloc"))
                        .toArray(String[]::new));
        String sys = "/scratch/host/" + unpack(host);

        Result result = root.run(
                60, "env", "HWLOC_FSROOT=" + sys, "HWLOC_THISSYSTEM=0", program, sys, Integer.toString(ranks), to);

        assertThat(result.exitCode()).as(result.text()).isZero();
        List<String> compared =
                result.lines().stream().filter(line -> line.startsWith("rank ")).toList();
        assertThat(compared).hasSize(ranks);
    }

    /** Returns the directory in the archive that has {@code sys}. */
    private String unpack(String host) throws IOException {
        Path archive = Path.of(System.getProperty("docs"))
                .resolveSibling("fixtures/sysfs")
                .resolve(host);
        Path into = root.scratch("host");
        try (InputStream file = Files.newInputStream(archive);
                TarArchiveInputStream tar = new TarArchiveInputStream(
                        host.endsWith(".bz2")
                                ? new BZip2CompressorInputStream(file)
                                : new XZCompressorInputStream(file))) {
            for (TarArchiveEntry entry = tar.getNextEntry(); entry != null; entry = tar.getNextEntry()) {
                Path target = into.resolve(entry.getName()).normalize();
                if (entry.isFile()
                        && target.startsWith(into)
                        && target.toString().contains("/sys/devices/system/")) {
                    Files.createDirectories(target.resolveSibling(""));
                    Files.copy(tar, target);
                }
            }
        }
        try (Stream<Path> directories = Files.list(into)) {
            return directories.findFirst().orElseThrow().getFileName().toString();
        }
    }
}
