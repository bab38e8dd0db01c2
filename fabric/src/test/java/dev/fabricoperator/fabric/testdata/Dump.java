/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.fabric.testdata;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.fabricoperator.fabric.cabling.BadInputException;
import dev.fabricoperator.fabric.cabling.Cabling;
import dev.fabricoperator.fabric.cabling.ibnetdiscover.IbnetdiscoverReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.StringReader;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import java.util.zip.GZIPInputStream;
import org.tukaani.xz.XZInputStream;

/**
 * A dump among the fixtures, with what is true about it.
 *
 * @param directory below the fixtures
 * @param file the dump in it
 * @param truth the truth file in it
 */
public record Dump(String directory, String file, String truth) {
    private static final ObjectMapper JSON = new ObjectMapper();

    public static final Dump NDR = recorded("fabric/ib-ndr-dgx-topograph", "ibnetdiscover.txt.gz");
    public static final Dump SELENE = recorded("fabric/ib-hdr-selene-storage", "ibnetdiscover.txt.gz");
    public static final Dump LAB = recorded("fabric/ib-mixed-lab-nvidia", "ibnetdiscover.txt");
    public static final Dump ROCKET = recorded("fabric/ib-qdr-fdr10-rocket", "ibnetdiscover.txt");
    public static final Dump PSMN = recorded("fabric/ib-qdr-ddr-psmn-x5", "ibnetdiscover.txt");

    private static Dump recorded(String directory, String file) {
        return new Dump(directory, file, "truth.json.gz");
    }

    public static Dump simulated(String name) {
        return recorded("sim/" + name, "ibnetdiscover.txt.gz");
    }

    public Dump afterFault() {
        return new Dump(directory, "ibnetdiscover-after-fault.txt.gz", "truth-after-fault.json.gz");
    }

    public static List<Dump> all() {
        List<Dump> all = new java.util.ArrayList<>(List.of(NDR, SELENE, LAB, ROCKET, PSMN));
        for (String name : List.of("ft2-128", "ft3-k18", "rail-32x8", "torus-6x6x6", "df-a4p2h2")) {
            all.add(simulated(name));
            all.add(simulated(name).afterFault());
        }
        return all;
    }

    public Cabling cabling() {
        try {
            return IbnetdiscoverReader.read(file, new StringReader(text()));
        } catch (IOException | BadInputException e) {
            throw new AssertionError(e);
        }
    }

    public String text() {
        return new String(bytes(directory + "/" + file), StandardCharsets.UTF_8);
    }

    public JsonNode truthJson() {
        return json(directory + "/" + truth);
    }

    public static JsonNode json(String path) {
        try {
            return JSON.readTree(bytes(path));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    public static byte[] bytes(String path) {
        Path file = Path.of(Objects.requireNonNull(System.getProperty("fixtures"), "run through the build"), path);
        try (InputStream in = Files.newInputStream(file)) {
            return path.endsWith(".xz")
                    ? new XZInputStream(in).readAllBytes()
                    : path.endsWith(".gz") ? new GZIPInputStream(in).readAllBytes() : in.readAllBytes();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Override
    public String toString() {
        return directory + "/" + file;
    }
}
