/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.formats.fuzz;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.management.ThreadMXBean;
import dev.fabricoperator.fabric.cabling.BadInputException;
import dev.fabricoperator.fabric.cabling.NodeNameMap;
import dev.fabricoperator.fabric.cabling.counters.PortCountersReader;
import dev.fabricoperator.fabric.cabling.lft.ForwardingTableReader;
import dev.fabricoperator.fabric.level.PortLanesReader;
import dev.fabricoperator.formats.TopologyFormat;
import dev.fabricoperator.formats.counters.CounterNames;
import dev.fabricoperator.formats.counters.PrometheusReader;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.Reader;
import java.lang.management.ManagementFactory;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class ReaderFuzzTest {
    private static final int TEXTS = 400;

    @ParameterizedTest
    @EnumSource(TopologyFormat.class)
    void aDamagedTextIsReadOrRefusedWithItsPlace(TopologyFormat format) {
        List<byte[]> seeds = Seeds.of(format);
        int read = 0;
        for (int seed = 0; seed < TEXTS; seed++) {
            byte[] text = new Mutation(seed).of(seeds.get(seed % seeds.size()));
            try {
                read += Attempt.read(format, text) ? 1 : 0;
            } catch (AssertionError e) {
                throw new AssertionError("seed " + seed + ": " + e.getMessage(), e);
            }
        }
        // What is always refused tries little.
        assertThat(read).isBetween(1, TEXTS - 1);
    }

    @Test
    void aDamagedNodeNameMapIsReadOrRefusedWithItsPlace() throws IOException {
        int read = 0;
        for (int seed = 0; seed < TEXTS; seed++) {
            byte[] text = new Mutation(seed).of(Seeds.nodeNameMap());
            try {
                NodeNameMap.read(
                        Attempt.FILE, new InputStreamReader(new ByteArrayInputStream(text), StandardCharsets.UTF_8));
                read++;
            } catch (BadInputException e) {
                Attempt.requirePlace(e, text);
            }
        }
        assertThat(read).isBetween(1, TEXTS - 1);
    }

    /** Reads a text that a program beside a map prints. */
    private interface TextReader {
        void read(String file, Reader text) throws IOException, BadInputException;
    }

    @Test
    void damagedForwardingTablesAreReadOrRefusedWithTheirPlace() throws IOException {
        requireReadOrRefused(Seeds.forwardingTables(), ForwardingTableReader::read);
    }

    @Test
    void damagedCountersAreReadOrRefusedWithTheirPlace() throws IOException {
        requireReadOrRefused(Seeds.portCounters(), PortCountersReader::read);
    }

    @Test
    void damagedLanesAreReadOrRefusedWithTheirPlace() throws IOException {
        requireReadOrRefused(Seeds.portLanes(), PortLanesReader::read);
    }

    @Test
    void damagedMetricsAreReadOrRefusedWithTheirPlace() throws IOException {
        requireReadOrRefused(
                Seeds.metrics(), (file, text) -> PrometheusReader.read(file, text, CounterNames.TREYDOCK_INFINIBAND));
    }

    private static void requireReadOrRefused(List<byte[]> seeds, TextReader reader) throws IOException {
        int read = 0;
        for (int seed = 0; seed < TEXTS; seed++) {
            byte[] text = new Mutation(seed).of(seeds.get(seed % seeds.size()));
            try {
                reader.read(
                        Attempt.FILE, new InputStreamReader(new ByteArrayInputStream(text), StandardCharsets.UTF_8));
                read++;
            } catch (BadInputException e) {
                Attempt.requirePlace(e, text);
            }
        }
        assertThat(read).isBetween(1, TEXTS - 1);
    }

    @Test
    void aCarriageReturnEndsALineOfWhichAComplaintMaySpeak() {
        assertThat(Attempt.read(TopologyFormat.ufm, "[\r{".getBytes(StandardCharsets.UTF_8)))
                .isFalse();
    }

    /** For half of the time of {@code make fuzz}; discovery has the other half. */
    @Test
    @EnabledIfSystemProperty(named = "fuzz.seconds", matches = "\\d+")
    void damagedTextsOfNewSeedsAreReadOrRefused() throws IOException {
        Path kept = Files.createTempDirectory("fuzz");
        assertThat(Fuzzing.run(Long.getLong("fuzz.seconds") / 2, Long.getLong("fuzz.seed", 0), kept))
                .as("read wrongly, kept in %s", kept)
                .isZero();
        Files.delete(kept);
    }

    /** The longest names of which there may be as many as there may be names. */
    @Test
    void aListOfAllHostsThatThereMayBeIsReadWithinItsBounds() {
        String names = "n[000000-262000]" + "x".repeat(56);
        byte[] text = ("SwitchName=s Nodes=" + names + "\n").getBytes(StandardCharsets.UTF_8);
        assertThat(Attempt.read(TopologyFormat.slurm, text)).isTrue();
    }

    /** Who reads a few lines pays for a few lines, however long a line may be. */
    @ParameterizedTest
    @EnumSource(TopologyFormat.class)
    void aShortTextAllocatesLittle(TopologyFormat format) {
        for (byte[] seed : Seeds.of(format)) {
            assertThat(allocated(format, Arrays.copyOf(seed, Math.min(seed.length, 1000))))
                    .isLessThan(1 << 19);
        }
    }

    /** Counted in bytes, which unlike time do not depend on what else the machine does; {@link Doubling} measures time. */
    @ParameterizedTest
    @EnumSource(Growing.class)
    void aTextTwiceAsLongAllocatesTwiceAsMuch(Growing text) {
        long shorter = allocated(text.format, text.of(8));
        long longer = allocated(text.format, text.of(32));
        assertThat(longer).isLessThan((long) (4 * 1.5 * shorter) + (1 << 18));
    }

    private static long allocated(TopologyFormat format, byte[] bytes) {
        // The first time classes are loaded.
        Attempt.read(format, bytes);
        ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
        long before = threads.getCurrentThreadAllocatedBytes();
        Attempt.read(format, bytes);
        return threads.getCurrentThreadAllocatedBytes() - before;
    }
}
