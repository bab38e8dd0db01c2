/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.formats.fuzz;

import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaMethod;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import dev.fabricoperator.fabric.cabling.BadInputException;
import dev.fabricoperator.fabric.cabling.NodeNameMap;
import dev.fabricoperator.fabric.cabling.counters.PortCountersReader;
import dev.fabricoperator.fabric.cabling.lft.ForwardingTableReader;
import dev.fabricoperator.fabric.level.PortLanesReader;
import dev.fabricoperator.formats.TopologyFormat;
import dev.fabricoperator.formats.counters.CounterNames;
import dev.fabricoperator.formats.counters.PrometheusReader;
import java.io.FilterReader;
import java.io.IOException;
import java.io.Reader;
import java.io.StringReader;
import java.nio.charset.StandardCharsets;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Whoever writes a reader gives it seeds: what no good text of {@link Seeds} reaches, damaged ones do not try either. */
class ReadersTest {
    private static final String OURS = "dev.fabricoperator";
    private static final StackWalker STACK = StackWalker.getInstance();

    @Test
    void everyReaderOfATextIsReachedByASeed() throws Exception {
        Set<String> reached = new TreeSet<>();
        for (TopologyFormat format : TopologyFormat.values()) {
            for (byte[] seed : Seeds.of(format)) {
                try (Reader text = watched(new String(seed, StandardCharsets.UTF_8), reached)) {
                    format.read("seed", text);
                } catch (BadInputException e) {
                    // A seed that is cut.
                }
            }
        }
        try (Reader text = watched(new String(Seeds.nodeNameMap(), StandardCharsets.UTF_8), reached)) {
            NodeNameMap.read("seed", text);
        }
        for (byte[] seed : Seeds.forwardingTables()) {
            try (Reader text = watched(new String(seed, StandardCharsets.UTF_8), reached)) {
                ForwardingTableReader.read("seed", text);
            }
        }
        for (byte[] seed : Seeds.portCounters()) {
            try (Reader text = watched(new String(seed, StandardCharsets.UTF_8), reached)) {
                PortCountersReader.read("seed", text);
            }
        }
        for (byte[] seed : Seeds.portLanes()) {
            try (Reader text = watched(new String(seed, StandardCharsets.UTF_8), reached)) {
                PortLanesReader.read("seed", text);
            }
        }
        for (byte[] seed : Seeds.metrics()) {
            try (Reader text = watched(new String(seed, StandardCharsets.UTF_8), reached)) {
                PrometheusReader.read("seed", text, CounterNames.TREYDOCK_INFINIBAND);
            }
        }
        Set<String> readers = new ClassFileImporter()
                .withImportOption(new ImportOption.DoNotIncludeTests()).importPackages(OURS).stream()
                        .filter(type -> !type.isInterface())
                        .filter(type -> type.getMethods().stream().anyMatch(ReadersTest::reads))
                        .map(JavaClass::getName)
                        .collect(Collectors.toCollection(TreeSet::new));
        assertThat(readers).hasSizeGreaterThan(5);
        assertThat(reached).containsAll(readers);
    }

    /** Who has opened it wants what is left: the operator takes the digest of an upload over all of it. */
    @ParameterizedTest
    @EnumSource(TopologyFormat.class)
    void noReaderClosesItsText(TopologyFormat format) throws Exception {
        for (byte[] seed : Seeds.of(format)) {
            AtomicBoolean isClosed = new AtomicBoolean();
            Reader text = new StringReader(new String(seed, StandardCharsets.UTF_8)) {
                @Override
                public void close() {
                    isClosed.set(true);
                }
            };
            try {
                format.read("seed", text);
            } catch (BadInputException e) {
                // A seed that is cut.
            }
            assertThat(isClosed).isFalse();
        }
    }

    /** Whether it takes a text and may refuse it. */
    private static boolean reads(JavaMethod method) {
        return method.getThrowsClause().containsType(BadInputException.class)
                && method.getRawParameterTypes().stream().anyMatch(type -> type.isAssignableTo(Reader.class));
    }

    /** @param reached takes the names of all classes that ask for the text */
    private static Reader watched(String text, Set<String> reached) {
        return new FilterReader(new StringReader(text)) {
            @Override
            public int read() throws IOException {
                note();
                return super.read();
            }

            @Override
            public int read(char[] into, int offset, int length) throws IOException {
                note();
                return super.read(into, offset, length);
            }

            private void note() {
                STACK.forEach(frame -> {
                    if (frame.getClassName().startsWith(OURS)) {
                        reached.add(frame.getClassName());
                    }
                });
            }
        };
    }
}
