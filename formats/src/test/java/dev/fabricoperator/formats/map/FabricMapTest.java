/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.formats.map;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.fabricoperator.fabric.OfflineFabric;
import dev.fabricoperator.fabric.OfflineFabrics;
import dev.fabricoperator.fabric.cabling.PortPeer;
import dev.fabricoperator.fabric.cabling.Switch;
import dev.fabricoperator.fabric.cabling.SwitchBuilder;
import dev.fabricoperator.fabric.cabling.SwitchPort;
import dev.fabricoperator.fabric.cabling.SwitchPortBuilder;
import dev.fabricoperator.fabric.device.PortState;
import dev.fabricoperator.fabric.model.FabricModel;
import dev.fabricoperator.fabric.query.FabricQuery;
import dev.fabricoperator.fabric.testdata.Dump;
import dev.fabricoperator.fabric.testdata.Wiring;
import dev.fabricoperator.formats.map.FabricMap.Cell;
import java.io.IOException;
import java.io.InputStream;
import java.io.StringReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.TreeMap;
import javax.xml.XMLConstants;
import javax.xml.parsers.DocumentBuilderFactory;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.w3c.dom.Document;
import org.w3c.dom.Element;
import org.xml.sax.InputSource;

class FabricMapTest {
    private static final ObjectMapper JSON = new ObjectMapper();

    static List<Dump> dumps() {
        return Dump.all();
    }

    private static List<Remark> remarks(FabricModel model) {
        return model.findings().stream().map(Remark::of).toList();
    }

    /** Four ranks on each of some hosts, by their names' order. */
    private static JobRanks job(FabricModel model, int from, int to) {
        TreeMap<String, List<Integer>> slots = new TreeMap<>();
        for (int slot = 0; slot < model.topology().slots(); slot++) {
            int end = model.topology().endOfSlot(slot);
            String host = end < 0 ? null : model.topology().endHost(end);
            if (host != null) {
                slots.computeIfAbsent(host, h -> new ArrayList<>()).add(slot);
            }
        }
        List<JobRanks.OnHost> hosts = new ArrayList<>();
        slots.forEach((host, own) -> hosts.add(new JobRanks.OnHost(host, 4, own)));
        return new JobRanks("lab/ring", hosts.subList(Math.min(from, hosts.size()), Math.min(to, hosts.size())));
    }

    private static FabricMap map(Dump dump, int from, int to) {
        OfflineFabric fabric = OfflineFabrics.of(dump.cabling()).getFirst();
        return FabricMap.of(
                fabric.name(),
                fabric.model(),
                fabric.switches(),
                remarks(fabric.model()),
                from == to ? null : job(fabric.model(), from, to));
    }

    private static FabricMap map(Wiring wiring, @Nullable JobRanks job) {
        FabricModel model = FabricModel.of(wiring.switches(), wiring.vertices());
        return FabricMap.of("made", model, wiring.switches(), remarks(model), job);
    }

    private static Document xml(String text) throws Exception {
        DocumentBuilderFactory factory = DocumentBuilderFactory.newInstance();
        factory.setFeature(XMLConstants.FEATURE_SECURE_PROCESSING, true);
        return factory.newDocumentBuilder().parse(new InputSource(new StringReader(text)));
    }

    private static JsonNode data(String html) throws IOException {
        String begin = "<script type=\"application/json\" id=\"data\">";
        int from = html.indexOf(begin) + begin.length();
        return JSON.readTree(html.substring(from, html.indexOf("</script>", from)));
    }

    private static int cellsIn(Document svg) {
        int cells = 0;
        for (int i = 0; i < svg.getElementsByTagName("g").getLength(); i++) {
            cells += ((Element) svg.getElementsByTagName("g").item(i)).hasAttribute("data-cell") ? 1 : 0;
        }
        return cells;
    }

    @ParameterizedTest
    @CsvSource({"ft2-128, 0, 40", "ft3-k18, 100, 180", "rail-32x8, 0, 10", "torus-6x6x6, 0, 40", "df-a4p2h2, 0, 10"})
    void theMapOfADamagedFabricWithAJobIsAsReviewed(String name, int from, int to) throws IOException {
        FabricMap map = map(Dump.simulated(name).afterFault(), from, to);
        assertThat(TextMapWriter.write(map)).isEqualTo(golden(name + ".txt", TextMapWriter.write(map)));
        assertThat(SvgWriter.write(map)).isEqualTo(golden(name + ".svg", SvgWriter.write(map)));
        if (name.equals("ft2-128")) {
            assertThat(DotWriter.write(map)).isEqualTo(golden(name + ".dot", DotWriter.write(map)));
        }
    }

    /** What was made stands below target/map, to be looked at and taken over. */
    private static String golden(String name, String made) throws IOException {
        Path to = Path.of("target/map", name);
        Files.createDirectories(Path.of("target/map"));
        Files.writeString(to, made);
        try (InputStream in = FabricMapTest.class.getResourceAsStream("/map/" + name)) {
            return in == null ? "no " + name : new String(in.readAllBytes(), StandardCharsets.UTF_8);
        }
    }

    @ParameterizedTest
    @MethodSource("dumps")
    void everySwitchAndDeviceIsInOneCellAndEveryCellIsDrawn(Dump dump) throws Exception {
        OfflineFabric fabric = OfflineFabrics.of(dump.cabling()).getFirst();
        FabricMap map = map(dump, 0, 20);
        List<String> ids = new ArrayList<>();
        int devices = 0;
        for (Cell cell : map.cells()) {
            assertThat(map.cells().indexOf(cell)).isEqualTo(cell.id());
            ids.addAll(cell.ids());
            devices += cell.devices();
        }
        assertThat(ids).doesNotHaveDuplicates().hasSize(fabric.model().switches());
        assertThat(devices).isEqualTo(cabledEnds(fabric.model()));

        String html = HtmlWriter.write(map);
        Document svg = xml(SvgWriter.write(map));
        assertThat(cellsIn(svg)).isEqualTo(map.cells().size());
        assertThat(data(html).path("cells")).hasSize(map.whole().cells().size());
        assertThat(html).contains(SvgWriter.drawing(map.whole())).doesNotContain(" src=", " href=", "@import", "url(");
    }

    private static int cabledEnds(FabricModel model) {
        int cabled = 0;
        for (int end = 0; end < model.topology().ends(); end++) {
            cabled += model.topology().endSwitch(end) >= 0 ? 1 : 0;
        }
        return cabled;
    }

    @Test
    void theSameFabricInAnyOrderGivesTheSameMap() {
        OfflineFabric fabric =
                OfflineFabrics.of(Dump.simulated("ft3-k18").cabling()).getFirst();
        List<Switch> shuffled = new ArrayList<>(fabric.switches());
        Collections.shuffle(shuffled, new Random(7));
        JobRanks job = job(fabric.model(), 0, 30);
        FabricMap one = FabricMap.of("f", fabric.model(), fabric.switches(), List.of(), job);
        FabricMap other = FabricMap.of("f", fabric.model(), shuffled, List.of(), job);
        assertThat(HtmlWriter.write(one)).isEqualTo(HtmlWriter.write(other));
    }

    @Test
    void whatIsQuietInATreeOfTwoThousandSwitchesIsCountedAndNotDrawn() throws Exception {
        Wiring wiring = Wiring.threeLevels(1, 60, 16, 16, 4, 8, 1);
        FabricModel model = FabricModel.of(wiring.switches(), wiring.vertices());
        assertThat(model.switches()).isEqualTo(60 * 32 + 64);
        JobRanks job = job(model, 0, 24);
        FabricMap map = FabricMap.of("large", model, wiring.switches(), List.of(), job);

        assertThat(map.cells()).hasSizeLessThan(40);
        assertThat(map.cells().stream().mapToInt(cell -> cell.ids().size()).sum())
                .isEqualTo(model.switches());
        assertThat(map.cells().stream()
                        .filter(cell -> cell.ranks() > 0)
                        .allMatch(cell -> cell.ids().size() == 1))
                .isTrue();
        assertThat(map.cells().stream().mapToInt(Cell::ranks).sum()).isEqualTo(24 * 4);
        assertThat(SvgWriter.write(map)).hasSizeLessThan(100_000);
        // A page counts from afar alone, and has every switch for whoever comes near.
        assertThat(map.whole().cells()).hasSize(model.switches()).noneMatch(Cell::folded);
        assertThat(HtmlWriter.write(map)).hasSizeLessThan(2_500_000);
        assertThat(TextMapWriter.write(map).lines().count()).isLessThan(60);
        // A host of what is only counted is found by the search all the same.
        String quiet = map.cells().stream()
                .filter(Cell::folded)
                .filter(cell -> !cell.hosts().isEmpty())
                .findFirst()
                .orElseThrow()
                .hosts()
                .getFirst();
        assertThat(HtmlWriter.write(map)).contains("\"" + quiet + "\"");
    }

    @Test
    void everySwitchOfATorusStandsAtItsCoordinates() {
        Wiring wiring = Wiring.torus(3, 4, 5, 6, 1);
        FabricMap map = map(wiring, null);
        assertThat(map.cells()).hasSize(120).noneMatch(Cell::folded);
        assertThat(map.sections()).allMatch(FabricMap.Section::grid);
        assertThat(map.sections().stream()
                        .mapToInt(section -> section.rows().size()
                                * section.rows().getFirst().cells().size())
                        .sum())
                .isEqualTo(120);
    }

    @Test
    void aMissingCableIsALineThatSaysSo() throws Exception {
        FabricMap map = map(Dump.simulated("ft2-128").afterFault(), 0, 0);
        assertThat(map.edges().stream().filter(edge -> !edge.remarks().isEmpty()))
                .hasSize(1);
        assertThat(map.cells().stream().filter(cell -> !cell.remarks().isEmpty()))
                .hasSize(2);
        String svg = SvgWriter.write(map);
        assertThat(svg).containsOnlyOnce("<line class=\"remark\"");
        Element line = (Element) xml(svg.substring(svg.indexOf("<line class"), svg.indexOf("</line>") + 7))
                .getDocumentElement();
        assertThat(line.getTextContent())
                .startsWith("MissingUplink: leaf-08 port 18 to spine-01 port 16: 1 of 2 links");
        assertThat(DotWriter.write(map)).contains("color=\"#dc2626\", penwidth=2");
    }

    @Test
    void aLinkThatIsDownIsADashedLineBetweenItsSwitches() {
        OfflineFabric fabric =
                OfflineFabrics.of(Dump.simulated("ft2-128").cabling()).getFirst();
        List<Switch> switches = new ArrayList<>();
        Switch broken = fabric.switches().stream()
                .filter(one -> "leaf-01".equals(one.name()))
                .findFirst()
                .orElseThrow();
        List<SwitchPort> ports = new ArrayList<>();
        int down = 0;
        for (SwitchPort port : broken.ports()) {
            boolean up = port.peer() == null
                    || fabric.model().topology().switchIndex(port.peer().id()) < 0;
            down += up ? 0 : 1;
            ports.add(
                    up
                            ? port
                            : SwitchPortBuilder.builder(port)
                                    .state(PortState.Down)
                                    .build());
        }
        fabric.switches()
                .forEach(one -> switches.add(
                        one == broken ? SwitchBuilder.builder(one).ports(ports).build() : one));
        List<Remark> remarks = new ArrayList<>();
        for (SwitchPort port : ports) {
            if (port.state() == PortState.Down) {
                remarks.add(new Remark("PortDown", broken.id() + " port " + port.number(), "port is down", List.of()));
            }
        }
        FabricMap map = FabricMap.of("f", fabric.model(), switches, remarks, null);
        assertThat(map.edges().stream().mapToInt(edge -> edge.remarks().size()).sum())
                .isEqualTo(down)
                .isPositive();
    }

    @Test
    void findingsOfAHostOrADeviceAreMarkedAtItsSwitch() {
        OfflineFabric fabric =
                OfflineFabrics.of(Dump.simulated("ft2-128").cabling()).getFirst();
        String host = fabric.devices().getFirst().hostname();
        String guid = String.valueOf(fabric.devices().getFirst().nodeGuid());
        FabricMap map = FabricMap.of(
                "f",
                fabric.model(),
                fabric.switches(),
                List.of(
                        new Remark("MissingRail", host, "of a host", List.of()),
                        new Remark("SlowLink", guid + " port 1", "of a device", List.of()),
                        new Remark("MissingSwitch", "group 7", "of nothing that is drawn", List.of())),
                null);
        List<Cell> told =
                map.cells().stream().filter(cell -> !cell.remarks().isEmpty()).toList();
        assertThat(told).hasSize(1);
        assertThat(told.getFirst().hosts()).contains(host);
        assertThat(told.getFirst().remarks()).hasSize(2);
        assertThat(TextMapWriter.write(map)).contains("of nothing that is drawn");
    }

    @ParameterizedTest
    @CsvSource({"dgx-023 has 7 of 8 devices, rail2-leaf-01", "dgx-029 has 7 of 8 devices, rail5-leaf-01"})
    void aMissingRailIsMarkedAtTheSwitchThatTheHostShouldBeAt(String message, String leaf) {
        FabricMap map = map(Dump.simulated("rail-32x8").afterFault(), 0, 0);
        assertThat(map.cells().stream()
                        .filter(cell -> cell.remarks().stream()
                                .anyMatch(remark -> remark.message().startsWith(message)))
                        .map(Cell::label))
                .containsExactly(leaf);
    }

    @ParameterizedTest
    @MethodSource("dumps")
    void everyFindingHasAPlaceThatItsTableNames(Dump dump) {
        FabricMap map = map(dump, 0, 0);
        assertThat(map.placesOfRemarks())
                .hasSize((int) map.remarks().stream().distinct().count());
        assertThat(map.placesOfRemarks().values())
                .allSatisfy(places -> assertThat(places).isNotEmpty().noneMatch(String::isBlank));
        assertThat(HtmlWriter.write(map)).doesNotContain("<td></td>");
    }

    @Test
    void groupsOfADragonflyThatLackALinkAreMarkedWithTheSitesNamesAndTheLinkIsDashed() throws Exception {
        FabricMap map = map(Dump.simulated("df-a4p2h2").afterFault(), 0, 0);
        assertThat(map.sections().stream()
                        .filter(section -> !section.remarks().isEmpty())
                        .map(FabricMap.Section::label))
                .containsExactly("group g01", "group g04", "group g05", "group g06");
        assertThat(map.bundles()).hasSize(9 * 8 / 2);
        assertThat(map.bundles().stream().filter(bundle -> !bundle.remarks().isEmpty()))
                .hasSize(2)
                .allMatch(bundle -> bundle.cables() == 0);
        assertThat(map.placesOfRemarks().values())
                .containsExactly(List.of("group g01", "group g06"), List.of("group g04", "group g05"));
        assertThat(SvgWriter.write(map)).contains("group g01 to group g06: 0 cables");
    }

    @Test
    void thePlaceOfATorusThatHasNoSwitchIsMarkedAndItsNeighboursAreNamed() {
        FabricMap map = map(Dump.simulated("torus-6x6x6").afterFault(), 0, 0);
        assertThat(map.sections().stream().flatMap(section -> section.gaps().stream()))
                .singleElement()
                .satisfies(gap -> {
                    assertThat(gap.label()).isEqualTo("5,1,3");
                    assertThat(gap.remark().message()).contains("beside it are sw-1-3-2, ");
                });
        assertThat(TextMapWriter.write(map)).contains("  . . ! x ! .").contains("x no switch where one should be");
        assertThat(HtmlWriter.write(map)).contains("<td class=\"finding\">MissingSwitch</td><td>5,1,3</td>");
    }

    @Test
    void unitsOfARailFabricAreJoinedToTheSpinesByBundlesThatCountTheirCables() {
        FabricMap map = map(Dump.NDR, 0, 0);
        assertThat(map.sections().getFirst().above()).isTrue();
        assertThat(map.bundles()).hasSize(map.sections().size() - 1).allMatch(bundle -> bundle.from() == 0);
        int all = map.edges().stream().mapToInt(FabricMap.Edge::cables).sum();
        assertThat(map.bundles().stream().mapToInt(FabricMap.Bundle::cables).sum())
                .isEqualTo(all);
        map.bundles().forEach(bundle -> assertThat(SvgWriter.write(map)).contains(">" + bundle.cables() + " cables<"));
    }

    @Test
    void namesStandInTheOrderThatPeopleCountIn() {
        FabricMap map = map(Dump.simulated("ft3-k18").afterFault(), 0, 0);
        assertThat(map.sections().stream().map(FabricMap.Section::label).limit(3))
                .containsExactly("above all pods", "pod01", "pod02");
        FabricMap small = map(Dump.simulated("ft2-128"), 0, 0);
        assertThat(small.cells().stream().map(Cell::label).filter(name -> name.startsWith("leaf")))
                .hasSize(8)
                .isSorted();
    }

    @Test
    void aPictureIsAsLargeAsWhatShowsItAndHasADarkScheme() throws Exception {
        Document svg = xml(SvgWriter.write(map(Dump.simulated("ft2-128"), 0, 4)));
        assertThat(svg.getDocumentElement().hasAttribute("width")).isFalse();
        assertThat(svg.getDocumentElement().getAttribute("viewBox")).startsWith("0 0 ");
        assertThat(svg.getElementsByTagName("style").item(0).getTextContent()).contains("prefers-color-scheme: dark");
    }

    @Test
    void aFabricWithoutSwitchesIsOneCell() throws Exception {
        FabricModel model = FabricModel.of(
                List.of(),
                List.of(new dev.fabricoperator.fabric.topology.Vertex(0, "0000000000000001", 1, "n1", "mlx5_0")));
        JobRanks job = new JobRanks("lab/ring", List.of(new JobRanks.OnHost("n1", 8, List.of(0))));
        FabricMap map = FabricMap.of("flat", model, List.of(), List.of(), job);
        assertThat(map.cells()).hasSize(1);
        assertThat(map.cells().getFirst().ranks()).isEqualTo(8);
        assertThat(cellsIn(xml(SvgWriter.write(map)))).isEqualTo(1);
        assertThat(TextMapWriter.write(map)).contains("no switch is known: 8 ranks on n1; 1 device");
        assertThat(DotWriter.write(map)).startsWith("graph fabric {");
    }

    @Test
    void aHostThatIsNotOnTheFabricIsNamed() {
        Wiring wiring = Wiring.twoLevels(1, 4, 2, 4, 1);
        FabricMap map = map(wiring, new JobRanks("j", List.of(new JobRanks.OnHost("elsewhere", 3, List.of()))));
        assertThat(map.jobSentence()).isEqualTo("job j: 3 ranks on 1 host; not on this fabric: elsewhere");
    }

    @Test
    void hostileNamesStayNames() throws Exception {
        String hostile = "<script>alert(1)</script>\"'&]]>\u0000\u001b[31m\u202e</title>\ud800\\N" + "x".repeat(65_536);
        OfflineFabric fabric =
                OfflineFabrics.of(Dump.simulated("ft2-128").cabling()).getFirst();
        List<Switch> switches = fabric.switches().stream()
                .map(one -> SwitchBuilder.builder(one).name(hostile).build())
                .toList();
        JobRanks job = new JobRanks(hostile, List.of(new JobRanks.OnHost(hostile, 1, List.of(0))));
        FabricMap map = FabricMap.of(
                hostile,
                fabric.model(),
                switches,
                List.of(
                        new Remark(hostile, hostile, hostile, List.of(hostile)),
                        new Remark(hostile, switches.getFirst().id(), hostile, List.of())),
                job);

        String html = HtmlWriter.write(map);
        String svg = SvgWriter.write(map);
        String text = TextMapWriter.write(map);
        String dot = DotWriter.write(map);
        for (String made : List.of(html, svg, text, dot)) {
            assertThat(made.length()).isLessThan(200_000);
            assertThat(made.chars().filter(c -> c < ' ' && c != '\n')).isEmpty();
            assertThat(made).doesNotContain("\u202e", "\ud800");
        }
        assertThat(html).doesNotContain("<script>alert", "</title>x");
        Document drawn = xml(svg);
        assertThat(drawn.getElementsByTagName("script").getLength()).isZero();
        assertThat(drawn.getElementsByTagName("text").item(0).getTextContent()).startsWith("<script>alert(1)");
        assertThat(data(html).at("/cells/0/label").asText()).startsWith("<script>alert(1)</script>\"'&]]>");
        // Two scripts and no more: what the page's own are is in its policy.
        assertThat(html.split("<script", -1)).hasSize(3);
        assertThat(dot.lines()
                        .filter(line -> line.contains("label="))
                        .allMatch(line -> line.replace("\\\\", "")
                                                .replace("\\\"", "")
                                                .chars()
                                                .filter(c -> c == '"')
                                                .count()
                                        % 2
                                == 0))
                .isTrue();
    }

    @Test
    void thePolicyNamesTheOnlyScriptAndTheOnlyStyleOfThePage() throws Exception {
        String html = HtmlWriter.write(map(Dump.simulated("ft2-128"), 0, 4));
        Map<String, String> elements = Map.of(
                "style-src",
                between(html, "<style>", "</style>"),
                "script-src",
                between(html, "<script>", "</script>"));
        for (Map.Entry<String, String> element : elements.entrySet()) {
            byte[] digest = java.security.MessageDigest.getInstance("SHA-256")
                    .digest(element.getValue().getBytes(StandardCharsets.UTF_8));
            assertThat(HtmlWriter.CONTENT_SECURITY_POLICY)
                    .contains(element.getKey() + " 'sha256-"
                            + java.util.Base64.getEncoder().encodeToString(digest) + "'");
        }
        assertThat(html)
                .contains("content=\"" + HtmlWriter.CONTENT_SECURITY_POLICY + "\"")
                .doesNotContain(" style=", " onclick=");
    }

    private static String between(String text, String begin, String end) {
        int from = text.indexOf(begin) + begin.length();
        return text.substring(from, text.indexOf(end, from));
    }

    /** Each host sends to the next one but {@code apart}, by the cheapest paths; the widest link is hot. */
    private static MapTraffic traffic(FabricModel model, JobRanks job, int apart) {
        FabricQuery query = new FabricQuery(model);
        Map<PortPeer, Long> bytes =
                new TreeMap<>(Comparator.comparing(PortPeer::id).thenComparing(PortPeer::port));
        for (int i = 0; i < job.hosts().size(); i++) {
            List<Integer> from = job.hosts().get(i).slots();
            List<Integer> to = job.hosts().get((i + apart) % job.hosts().size()).slots();
            dev.fabricoperator.fabric.query.Path way = query.path(from.getFirst(), to.getFirst());
            long bytesPerSecond = 1_000_000L * (1 + i % 7);
            Objects.requireNonNull(way)
                    .steps()
                    .forEach(step ->
                            bytes.merge(new PortPeer(step.switchId(), step.outPort()), bytesPerSecond, Long::sum));
        }
        long most = bytes.values().stream().mapToLong(Long::longValue).max().orElse(0);
        Map<String, List<RankRange>> ranks = new TreeMap<>();
        for (JobRanks.OnHost host : job.hosts()) {
            // Every third pod has been placed elsewhere, so that not all numbers follow each other.
            int first = 4 * (ranks.size() + (ranks.size() % 3 == 0 ? job.hosts().size() : 0));
            ranks.put(host.host(), List.of(new RankRange(first, first + host.ranks() - 1)));
        }
        return new MapTraffic(
                bytes.entrySet().stream()
                        .map(each -> new MapTraffic.Link(
                                each.getKey().id(), each.getKey().port(), each.getValue(), each.getValue() == most))
                        .toList(),
                ranks);
    }

    @ParameterizedTest
    @CsvSource({"ft2-128, 40, 17", "rail-32x8, 20, 3", "torus-6x6x6, 40, 7", "df-a4p2h2, 30, 11"})
    void theTrafficOfAJobIsDrawnAsReviewed(String name, int hosts, int apart) throws Exception {
        OfflineFabric fabric = OfflineFabrics.of(Dump.simulated(name).cabling()).getFirst();
        JobRanks job = job(fabric.model(), 0, hosts);
        FabricMap map = FabricMap.of(
                fabric.name(), fabric.model(), fabric.switches(), List.of(), job, traffic(fabric.model(), job, apart));

        assertThat(TextMapWriter.write(map))
                .contains("links of the job", "hot")
                .isEqualTo(golden(name + "-traffic.txt", TextMapWriter.write(map)));
        assertThat(SvgWriter.write(map)).isEqualTo(golden(name + "-traffic.svg", SvgWriter.write(map)));
        xml(SvgWriter.write(map));
        assertThat(HtmlWriter.write(map)).contains("stroke-opacity");
    }

    @Test
    void ranksAreNamedByNumberAtTheirLeavesWhereAllOfThemAreKnown() {
        OfflineFabric fabric =
                OfflineFabrics.of(Dump.simulated("ft2-128").cabling()).getFirst();
        JobRanks job = job(fabric.model(), 0, 20);
        Map<String, List<RankRange>> ranks = new TreeMap<>();
        // All of leaf-01, and three of the four hosts of leaf-02.
        job.hosts()
                .subList(0, 19)
                .forEach(host ->
                        ranks.put(host.host(), List.of(new RankRange(4 * ranks.size(), 4 * ranks.size() + 3))));

        String text = TextMapWriter.write(FabricMap.of(
                fabric.name(), fabric.model(), fabric.switches(), List.of(), job, new MapTraffic(List.of(), ranks)));

        assertThat(text)
                .contains("leaf-01: ranks 0-63 on node[0001-0016]")
                .contains("leaf-02: 16 ranks on node[0017-0020]");

        Cell cell = new Cell(
                0,
                "leaf",
                false,
                0,
                0,
                List.of("a"),
                List.of(),
                0,
                12,
                List.of(new RankRange(0, 3), new RankRange(8, 11), new RankRange(100, 103)),
                List.of(),
                List.of(),
                List.of());
        assertThat(cell.ranksInWords(24)).isEqualTo("ranks 0-3, 8-11, 100-103");
        assertThat(cell.ranksInWords(23)).isEqualTo("12 ranks: 0-3, 8-11, …");
        assertThat(cell.ranksInWords(10)).isEqualTo("12 ranks");
    }

    @Test
    void numbersOfRanksAreReadAndJoined() {
        assertThat(RankRange.words(
                        RankRange.joined(List.of(new RankRange(12, 12), new RankRange(4, 7), new RankRange(0, 3)))))
                .isEqualTo("ranks 0-7, 12");
        assertThat(RankRange.words(RankRange.joined(List.of(new RankRange(5, 5)))))
                .isEqualTo("rank 5");
        assertThat(RankRange.parse("0-3")).isEqualTo(new RankRange(0, 3));
        assertThat(RankRange.parse("5")).isEqualTo(new RankRange(5, 5));
        assertThat(List.of("", "3-0", "-1", "1-", "0-3,5", "9999999999", "a"))
                .allSatisfy(text -> assertThat(RankRange.parse(text)).isNull());
    }

    @Test
    void theTrafficOf4096RanksIsDrawnWithinAMegabyte() throws Exception {
        OfflineFabric fabric =
                OfflineFabrics.of(Dump.simulated("ft3-k18").cabling()).getFirst();
        JobRanks job = job(fabric.model(), 0, 1024);
        MapTraffic traffic = traffic(fabric.model(), job, 501);
        assertThat(job.ranks()).isEqualTo(4096);

        long began = System.nanoTime();
        String svg = SvgWriter.write(
                FabricMap.of(fabric.name(), fabric.model(), fabric.switches(), List.of(), job, traffic));
        long millis = Duration.ofNanos(System.nanoTime() - began).toMillis();

        System.out.printf("4,096 ranks: %d bytes of SVG in %d ms%n", svg.length(), millis);
        golden("ft3-k18-traffic.svg", svg);
        xml(svg);
        assertThat(svg).hasSizeLessThan(1_000_000).contains(" not used");
    }

    @Test
    void anImpairedLinkOfAJobIsDashed() throws Exception {
        OfflineFabric fabric =
                OfflineFabrics.of(Dump.simulated("ft2-128").cabling()).getFirst();
        JobRanks job = job(fabric.model(), 0, 40);
        MapTraffic traffic = traffic(fabric.model(), job, 17);
        MapTraffic.Link uplink = traffic.links().stream()
                .filter(MapTraffic.Link::hot)
                .findFirst()
                .orElseThrow();
        Remark remark =
                new Remark("ImpairedLink", uplink.switchId() + " port " + uplink.port(), "40 symbol errors", List.of());

        FabricMap map = FabricMap.of(fabric.name(), fabric.model(), fabric.switches(), List.of(remark), job, traffic);
        assertThat(TextMapWriter.write(map)).contains("hot, impaired");
        assertThat(SvgWriter.write(map)).contains("stroke-dasharray=\"8 5\"><title>");
    }
}
