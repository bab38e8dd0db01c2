/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.formats.ufm;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fabricoperator.fabric.OfflineFabric;
import dev.fabricoperator.fabric.OfflineFabrics;
import dev.fabricoperator.fabric.cabling.Adapter;
import dev.fabricoperator.fabric.cabling.AdapterPort;
import dev.fabricoperator.fabric.cabling.BadInputException;
import dev.fabricoperator.fabric.cabling.Cabling;
import dev.fabricoperator.fabric.cabling.Switch;
import dev.fabricoperator.fabric.cabling.SwitchBuilder;
import dev.fabricoperator.fabric.cabling.SwitchPort;
import dev.fabricoperator.fabric.cabling.SwitchPortBuilder;
import dev.fabricoperator.fabric.cabling.ibnetdiscover.IbnetdiscoverReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.StringReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.zip.GZIPInputStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The recordings, and recorded fabrics in UFM's words, against what is true of them. */
class RecordedUfmTest {
    private static final String LINKS = "ufm/derived.ufm-links.selene-storage.json.gz";
    private static final String SELENE = "fabric/ib-hdr-selene-storage/ibnetdiscover.txt.gz";

    @Test
    void selenesLinksAreThoseOfItsDump() throws Exception {
        Cabling links = ufm(text(LINKS));
        Cabling dump = dump(SELENE);
        assertThat(links.problems()).isEmpty();
        assertThat(ends(links)).hasSize(2 * 3286).isEqualTo(ends(dump));
        assertThat(links.switches()).extracting(Switch::name).isEqualTo(names(dump));
        assertThat(adapters(links)).isEqualTo(adapters(dump));
        assertSameFabric(links, withoutSpeeds(dump));
    }

    @Test
    void aSwitchOfUfm5IsDescribedBySystemsAlone() throws Exception {
        Cabling cabling = ufm(text("ufm/cast-ufm5.9-systems-switch.json"));
        assertThat(cabling.problems()).isEmpty();
        assertThat(cabling.switches()).hasSize(1);
        Switch only = cabling.switches().getFirst();
        assertThat(only.id()).isEqualTo("248a070300fd6100");
        assertThat(only.name()).isEqualTo("c650f04ib-leaf02-M");
        assertThat(only.vendor()).isEqualTo("Mellanox");
        assertThat(only.model()).isEqualTo("MSB7800");
        assertThat(only.ports()).hasSize(31).allMatch(port -> port.peer() == null);
        assertThat(only.ports()).extracting(SwitchPort::number).contains(1, 37).doesNotContain(25);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "fabric/ib-ndr-dgx-topograph/ibnetdiscover.txt.gz",
                SELENE,
                "fabric/ib-mixed-lab-nvidia/ibnetdiscover.txt",
                "fabric/ib-qdr-fdr10-rocket/ibnetdiscover.txt",
                "fabric/ib-qdr-ddr-psmn-x5/ibnetdiscover.txt",
                "sim/rail-32x8/ibnetdiscover.txt.gz",
                "sim/torus-6x6x6/ibnetdiscover.txt.gz"
            })
    void aFabricInUfmsWordsIsTheSameFabric(String file) throws Exception {
        Cabling dump = dump(file);
        UfmWriter ufm = new UfmWriter(dump);
        Cabling whole = ufm("{\"links\": %s, \"systems\": {\"data\": %s}, \"ports\": %s}"
                .formatted(ufm.links(), ufm.systems(), ufm.ports()));
        assertThat(ends(whole)).isEqualTo(ends(dump));
        assertThat(adapters(whole)).isEqualTo(adapters(dump));
        assertSameFabric(whole, dump);
        Cabling portsAlone = ufm(ufm.ports());
        assertThat(ends(portsAlone)).isEqualTo(ends(dump));
    }

    private static void assertSameFabric(Cabling one, Cabling other) {
        List<OfflineFabric> found = OfflineFabrics.of(one);
        List<OfflineFabric> expected = OfflineFabrics.of(other);
        assertThat(found)
                .extracting(f -> f.model().kind())
                .isEqualTo(expected.stream().map(f -> f.model().kind()).toList());
        assertThat(found)
                .extracting(f -> f.model().links())
                .isEqualTo(expected.stream().map(f -> f.model().links()).toList());
        assertThat(found)
                .extracting(f -> f.model().cost().digest())
                .isEqualTo(expected.stream().map(f -> f.model().cost().digest()).toList());
    }

    /** Links say nothing of speeds, which costs depend on. */
    private static Cabling withoutSpeeds(Cabling cabling) {
        List<Switch> switches = cabling.switches().stream()
                .map(s -> SwitchBuilder.from(s)
                        .withPorts(s.ports().stream()
                                .map(p -> SwitchPortBuilder.from(p).withSpeedBitsPerSecond(null))
                                .toList()))
                .toList();
        return new Cabling(cabling.source(), switches, cabling.adapters(), 0, List.of());
    }

    /** Each end of each cable that leads to a switch or device, and where it leads to. */
    private static List<String> ends(Cabling cabling) {
        List<String> ends = new ArrayList<>();
        for (Switch said : cabling.switches()) {
            for (SwitchPort port : said.ports()) {
                if (port.peer() != null) {
                    ends.add(said.id() + " " + port.number() + " " + port.peer() + " " + port.peerHost() + " "
                            + port.peerOsName());
                }
            }
        }
        for (Adapter adapter : cabling.adapters()) {
            for (AdapterPort port : adapter.ports()) {
                if (port.peer() != null) {
                    ends.add(adapter.id() + " " + port.number() + " " + port.peer());
                }
            }
        }
        return ends;
    }

    private static List<String> names(Cabling cabling) {
        return cabling.switches().stream().map(s -> String.valueOf(s.name())).toList();
    }

    private static List<String> adapters(Cabling cabling) {
        return cabling.adapters().stream()
                .filter(adapter -> adapter.ports().stream().anyMatch(port -> port.peer() != null))
                .map(a -> a.id() + " " + a.hostname() + " " + a.osName())
                .toList();
    }

    private static Cabling ufm(String text) throws IOException, BadInputException {
        return UfmReader.read("ufm.json", new StringReader(text));
    }

    private static Cabling dump(String file) throws IOException, BadInputException {
        return IbnetdiscoverReader.read(file, new StringReader(text(file)));
    }

    private static String text(String file) throws IOException {
        Path path = Path.of(System.getProperty("fixtures"), file);
        try (InputStream raw = Files.newInputStream(path);
                InputStream plain = file.endsWith(".gz") ? new GZIPInputStream(raw) : raw) {
            return new String(plain.readAllBytes(), StandardCharsets.UTF_8);
        }
    }
}
