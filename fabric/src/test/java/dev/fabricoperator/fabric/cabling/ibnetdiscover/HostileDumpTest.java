/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.fabric.cabling.ibnetdiscover;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.fabricoperator.fabric.OfflineFabrics;
import dev.fabricoperator.fabric.cabling.BadInputException;
import dev.fabricoperator.fabric.cabling.Cabling;
import dev.fabricoperator.fabric.cabling.Problem;
import dev.fabricoperator.fabric.testdata.CablingContract;
import dev.fabricoperator.fabric.testdata.Dump;
import java.io.Reader;
import java.io.StringReader;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Dumps that somebody made on purpose, or that an accident did. */
class HostileDumpTest {
    @Test
    void endlessInputIsRefusedEarly() {
        long[] read = {0};
        Reader endless = new Reader() {
            @Override
            public int read(char[] into, int offset, int length) {
                Arrays.fill(into, offset, offset + length, 'a');
                read[0] += length;
                return length;
            }

            @Override
            public void close() {}
        };
        BadInputException bad =
                catchThrowableOfType(BadInputException.class, () -> IbnetdiscoverReader.read("endless", endless));
        assertThat(bad.line()).isEqualTo(1);
        assertThat(read[0]).isLessThan(100_000);
    }

    @Test
    void aMillionPortLinesOfOneNodeAreRefused() {
        StringBuilder text = new StringBuilder(
                "Switch\t254 \"" + IbnetdiscoverReaderTest.SWITCH + "\"\t\t# \"big\" base port 0 lid 1 lmc 0\n");
        for (int port = 1; port <= 1_000_000; port++) {
            text.append('[')
                    .append(port)
                    .append("]\t\"")
                    .append(IbnetdiscoverReaderTest.ADAPTER)
                    .append("\"[1]\n");
        }
        assertThat(IbnetdiscoverReaderTest.bad(text.toString()).line()).isEqualTo(256);
    }

    /** Whatever happens to a dump, it is read or refused; what was read can be modelled. */
    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3})
    void mutatedDumpsAreReadOrRefused(long seed) {
        Random random = new Random(seed);
        List<String> texts = List.of(IbnetdiscoverReaderTest.SMALL, Dump.LAB.text(), Dump.PSMN.text());
        for (int i = 0; i < 400; i++) {
            String text = mutated(texts.get(i % texts.size()), random);
            assertThatCode(() -> {
                        try {
                            Cabling cabling = IbnetdiscoverReader.read("dump", new StringReader(text));
                            CablingContract.assertHolds(cabling);
                            OfflineFabrics.of(cabling);
                            assertThat(cabling.problems()).allSatisfy(HostileDumpTest::isReadable);
                        } catch (BadInputException expected) {
                            assertThat(expected.line()).isPositive();
                        }
                    })
                    .doesNotThrowAnyException();
        }
    }

    private static void isReadable(Problem problem) {
        assertThat(problem.message()).isNotBlank().hasSizeLessThan(300);
    }

    private static String mutated(String text, Random random) {
        StringBuilder mutated = new StringBuilder(text);
        String odd = "\"[]()#\t\n x0SHR-\u0000\uffff";
        for (int i = random.nextInt(4); i >= 0; i--) {
            int at = random.nextInt(mutated.length());
            int to = Math.min(mutated.length(), at + random.nextInt(200));
            switch (random.nextInt(5)) {
                case 0 -> mutated.setCharAt(at, odd.charAt(random.nextInt(odd.length())));
                case 1 -> mutated.delete(at, to);
                case 2 -> mutated.insert(at, mutated.substring(at, to));
                case 3 -> mutated.insert(random.nextInt(mutated.length()), mutated.substring(at, to));
                default -> mutated.insert(at, odd.charAt(random.nextInt(odd.length())));
            }
            if (mutated.isEmpty()) {
                return "";
            }
        }
        return mutated.toString();
    }
}
