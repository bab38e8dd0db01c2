/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.fabric.cabling;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.FilterReader;
import java.io.IOException;
import java.io.Reader;
import java.io.StringReader;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class BoundedLinesTest {
    private static final int LONGEST = 1 << 17;

    /** Lengths around those at which the buffer is full, moved, or grows. */
    @ParameterizedTest
    @CsvSource({"1, 1", "1, 7", "100, 1000", "5000, 4096", "5000, 1000000", "131072, 3000", "131072, 1000000"})
    void linesAreThoseOfTheTextHoweverItComes(int longestLine, int charactersAtATime) throws Exception {
        Random random = new Random(longestLine);
        List<String> expected = new ArrayList<>();
        int characters = 0;
        while (characters < 40_000 || expected.size() < 5) {
            String line = Character.toString('a' + expected.size() % 26).repeat(random.nextInt(longestLine + 1));
            expected.add(line);
            characters += line.length() + 1;
        }

        assertThat(lines(slow(String.join("\n", expected) + "\n", charactersAtATime)))
                .isEqualTo(expected);
    }

    @Test
    void theLongestLineIsReadAndALongerOneIsNot() throws Exception {
        String longest = "x".repeat(LONGEST);

        assertThat(lines(new StringReader("a\n" + longest + "\nb"))).containsExactly("a", longest, "b");
        assertThatThrownBy(() -> lines(new StringReader("a\nx" + longest)))
                .isInstanceOf(BadInputException.class)
                .hasMessage("some/file:2: line of more than " + LONGEST + " characters");
    }

    /** Work that does not depend on the machine: how many characters are asked for, and how often. */
    @ParameterizedTest
    @ValueSource(ints = {1 << 10, LONGEST})
    void aTextIsAskedForInPartsThatFitWhatItIs(int longestLine) throws Exception {
        int[] most = {0, 0};
        Reader text = new FilterReader(new StringReader("line\n".repeat(1 << 18))) {
            @Override
            public int read(char[] into, int offset, int length) throws IOException {
                most[0] = Math.max(most[0], length);
                most[1]++;
                return super.read(into, offset, length);
            }
        };

        assertThat(lines(text, longestLine)).hasSize(1 << 18);

        assertThat(most[0]).isLessThanOrEqualTo(1 << 15);
        assertThat(most[1]).isLessThan(5 * (1 << 18) / (1 << 15) * 2);
    }

    private static List<String> lines(Reader text) throws IOException, BadInputException {
        return lines(text, LONGEST);
    }

    private static List<String> lines(Reader text, int longest) throws IOException, BadInputException {
        BoundedLines lines = new BoundedLines("some/file", text, "some", longest);
        List<String> read = new ArrayList<>();
        for (String line = lines.next(); line != null; line = lines.next()) {
            read.add(line);
        }
        return read;
    }

    private static Reader slow(String text, int charactersAtATime) {
        return new FilterReader(new StringReader(text)) {
            @Override
            public int read(char[] into, int offset, int length) throws IOException {
                return super.read(into, offset, Math.min(length, charactersAtATime));
            }
        };
    }
}
