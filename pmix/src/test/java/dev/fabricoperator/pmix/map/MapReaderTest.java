/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.pmix.map;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.fabricoperator.pmix.map.MapReader.MapException;
import io.airlift.compress.v3.zstd.ZstdJavaCompressor;
import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.stream.Collectors;
import java.util.zip.Deflater;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.AlphaChars;
import net.jqwik.api.constraints.IntRange;
import net.jqwik.api.constraints.NumericChars;
import net.jqwik.api.constraints.Size;
import net.jqwik.api.constraints.StringLength;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class MapReaderTest {
    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    private static String ranks(byte[] map) {
        return MapReader.ranks(map).stream()
                .map(Arrays::toString)
                .collect(Collectors.joining(";"))
                .replaceAll("[\\[\\] ]", "");
    }

    static byte[] blob(byte[] packed, int length) {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        out.writeBytes(bytes("blob:\0component=zlib:\0size=" + (packed.length + 4) + ":\0"));
        out.writeBytes(ByteBuffer.allocate(4)
                .order(ByteOrder.nativeOrder())
                .putInt(length)
                .array());
        out.writeBytes(packed);
        return out.toByteArray();
    }

    private static byte[] zlib(String text) {
        try (Deflater deflater = new Deflater()) {
            deflater.setInput(bytes(text));
            deflater.finish();
            byte[] packed = new byte[text.length() + 64];
            return Arrays.copyOf(packed, deflater.deflate(packed));
        }
    }

    private static byte[] zstd(String text) {
        ZstdJavaCompressor compressor = new ZstdJavaCompressor();
        byte[] packed = new byte[compressor.maxCompressedLength(text.length())];
        return Arrays.copyOf(packed, compressor.compress(bytes(text), 0, text.length(), packed, 0, packed.length));
    }

    /** The left side is what PMIx_generate_regex of libpmix 4.2.2 made of the right. */
    @ParameterizedTest
    @CsvSource(
            delimiterString = "=",
            value = {
                "pmix[node[3:1-3]] = node001,node002,node003",
                "pmix[node[1:1,3,5]] = node1,node3,node5",
                "pmix[node[3:1-2,10],gpu[2:1-2]] = node001,node002,node010,gpu01,gpu02",
                "pmix[node[3:3,1-2]] = node003,node001,node002",
                "pmix[node[1:9],node[2:10-11]] = node9,node10,node11",
                "pmix[a[1:1]b2,a[1:1]b3] = a1b2,a1b3",
                "pmix[job-0-abc.x,job-1] = job-0-abc.x,job-1",
                "pmix:node[3:1-2] = node001,node002",
                "raw:a,b-1 = a,b-1",
                "one = one"
            })
    void nodeMapsOfEveryVersionAreReadAsWhatTheyWereMadeOf(String map, String names) {
        assertThat(MapReader.nodes(bytes(map))).containsExactly(names.split(","));
    }

    @ParameterizedTest
    @CsvSource(
            delimiterString = "=",
            value = {
                "pmix[0-7;8-15] = 0,1,2,3,4,5,6,7;8,9,10,11,12,13,14,15",
                "raw:0,1;2,3 = 0,1;2,3",
                "1-4;8,10 = 1,2,3,4;8,10",
                "0 = 0"
            })
    void processMapsOfEveryVersionAreReadAsWhatTheyWereMadeOf(String map, String expected) {
        assertThat(ranks(bytes(map))).isEqualTo(expected);
    }

    @Test
    void blobsAreReadWhetherZlibOrZstdPackedThem() {
        String names = "node001,node002,node003,".repeat(400) + "last";
        List<String> expected = List.of(names.split(","));
        assertThat(MapReader.nodes(blob(zlib(names), names.length()))).isEqualTo(expected);
        assertThat(MapReader.nodes(blob(zstd(names), names.length()))).isEqualTo(expected);
        // As a C string, and with the NUL inside.
        byte[] ended = blob(zlib(names + "\0"), names.length() + 1);
        assertThat(MapReader.nodes(Arrays.copyOf(ended, ended.length + 1))).isEqualTo(expected);
    }

    @ParameterizedTest
    @CsvSource(
            delimiterString = "=",
            value = {
                "pmix[node[3:1-2] = digits",
                "pmix[node = ends",
                "pmix[node[3,1-2]] = digits",
                "pmix[node[99:1]] = digits",
                "pmix[node[3:2-1]] = range",
                "pmix[node[1:0-99999999]] = range",
                "pmix[] = empty",
                "a,,b = nothing",
                "raw: = nothing"
            })
    void damagedNodeMapsAreRefusedWithAReason(String map, String reason) {
        assertThatThrownBy(() -> MapReader.nodes(bytes(map)))
                .isInstanceOf(MapException.class)
                .hasMessageContaining(reason);
    }

    @ParameterizedTest
    @CsvSource(
            delimiterString = "=",
            value = {
                "0-2000000000 = range",
                "0,x = number",
                "0;;1 = nothing",
                "0-1000000;0-1000000 = range",
                "99999999999 = number"
            })
    void processMapsThatNameTooMuchAreRefused(String map, String reason) {
        assertThatThrownBy(() -> MapReader.ranks(bytes(map)))
                .isInstanceOf(MapException.class)
                .hasMessageContaining(reason);
    }

    @Test
    void aBombIsRefusedByTheSizeThatItStates() {
        byte[] packed = zlib("a".repeat(1000));
        assertThatThrownBy(() -> MapReader.nodes(blob(packed, 1 << 30)))
                .isInstanceOf(MapException.class)
                .hasMessageContaining("unpacks to 1073741824");
        assertThatThrownBy(() -> MapReader.nodes(blob(packed, 10))).isInstanceOf(MapException.class);
        assertThatThrownBy(() -> MapReader.nodes(blob(zstd("a".repeat(1000)), 10)))
                .isInstanceOf(MapException.class);
    }

    @Test
    void damageIsAlwaysAMapException() {
        Random random = new Random(7);
        String names = "node001,node002,node003,".repeat(50);
        byte[][] good = {
            bytes("pmix[node[3:1-2,10],gpu[2:1-2]b]"),
            blob(zlib(names + "x"), names.length() + 1),
            blob(zstd(names), names.length())
        };
        for (int i = 0; i < 30_000; i++) {
            byte[] map = good[i % good.length].clone();
            for (int n = random.nextInt(3); n >= 0; n--) {
                map[random.nextInt(map.length)] = (byte) random.nextInt(256);
            }
            byte[] cut = random.nextInt(3) == 0 ? Arrays.copyOf(map, random.nextInt(map.length)) : map;
            try {
                assertThat(MapReader.nodes(cut)).isNotEmpty();
                MapReader.ranks(cut);
            } catch (MapException expected) {
                assertThat(expected).hasMessageNotContaining("null");
            }
        }
    }

    @Property(tries = 300)
    void whatIsWrittenIsReadBack(
            @ForAll @Size(min = 1, max = 50)
                    List<@AlphaChars @NumericChars @StringLength(min = 1, max = 20) String> names,
            @ForAll @IntRange(min = 1, max = 9) int count) {
        MapWriter writer = new MapWriter();
        for (int i = 0; i < names.size(); i++) {
            writer.add(names.get(i), i * count, count);
        }
        assertThat(MapReader.nodes(bytes(writer.nodeMap()))).isEqualTo(names);
        List<int[]> ranks = MapReader.ranks(bytes(writer.processMap()));
        assertThat(ranks).hasSize(names.size());
        for (int i = 0; i < names.size(); i++) {
            assertThat(ranks.get(i)).hasSize(count).startsWith(i * count).endsWith(i * count + count - 1);
        }
    }

    @Test
    void aNameThatWouldBeReadAsTwoIsNotWritten() {
        assertThatThrownBy(() -> new MapWriter().add("a,b", 0, 1)).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> new MapWriter().add("a", 0, 0)).isInstanceOf(IllegalArgumentException.class);
    }
}
