/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.cli;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonProperty;
import com.fasterxml.jackson.annotation.JsonPropertyOrder;
import dev.fabricoperator.cli.input.FabricSet;
import dev.fabricoperator.cli.input.Failure;
import dev.fabricoperator.cli.input.FoundFabric;
import dev.fabricoperator.cli.output.TextTable;
import dev.fabricoperator.fabric.cabling.NaturalOrder;
import dev.fabricoperator.fabric.cabling.PortPeer;
import dev.fabricoperator.fabric.cabling.Switch;
import dev.fabricoperator.fabric.cabling.SwitchPort;
import dev.fabricoperator.fabric.device.PortState;
import dev.fabricoperator.fabric.finding.Finding;
import dev.fabricoperator.fabric.finding.FindingType;
import dev.fabricoperator.fabric.finding.SlowLinks;
import dev.fabricoperator.fabric.topology.Topology;
import dev.fabricoperator.view.question.SwitchFinder;
import dev.fabricoperator.view.question.UnansweredException;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code links}: what is at each port of the switches, as iblinkinfo tells it. */
@Command(
        name = "links",
        description = {
            "Show the links of switches: state, speed, width, and what is at the far end.",
            "'100 of 200' is slower than the links beside it; Missing is a link that the switch's peers have.",
            "SWITCH: a name or id, or several as a host list; default is all.",
            "Of all of them --down and --slow tell each link once."
        },
        footerHeading = "%nExamples:%n",
        footer = {
            "  kubectl fabric links leaf-08 fabric.txt.gz",
            "  kubectl fabric links 'leaf-[01-04]' --down --slow",
            "  ibnetdiscover | kubectl fabric links - --down"
        })
final class LinksCommand extends FabricCommand {
    private static final String MISSING = "Missing";

    @Option(names = "--down", description = "Only links that are down or missing.")
    boolean down;

    @Option(names = "--slow", description = "Only links that are slower than those beside them.")
    boolean slow;

    @Parameters(
            paramLabel = "[SWITCH] [KIND:]FILE",
            description = "The switch, and files instead of the cluster; plain, gzip or xz; '-' is standard input.")
    List<String> words = List.of();

    /**
     * A port of a switch.
     *
     * @param port 0 for a missing cable of which nobody knows where it belongs
     * @param state as the subnet manager has it; {@value #MISSING} for a cable that is not there
     * @param expectedBitsPerSecond of links beside a slower one
     */
    @JsonPropertyOrder({
        "switch",
        "name",
        "port",
        "state",
        "speedBitsPerSecond",
        "expectedBitsPerSecond",
        "width",
        "peer"
    })
    @JsonInclude(JsonInclude.Include.NON_NULL)
    record Link(
            @JsonProperty("switch") String switchId,
            String name,
            int port,
            String state,
            @Nullable Long speedBitsPerSecond,
            @Nullable Long expectedBitsPerSecond,
            @Nullable Integer width,
            @Nullable Peer peer) {
        boolean isDown() {
            return state.equals(MISSING) || state.equals(PortState.Down.name());
        }
    }

    /** @param name of a switch, or {@code host/osName} */
    record Peer(String id, String name, int port) {}

    private static Set<Switch> named(FabricSet read, String asked) throws Failure {
        try {
            return new SwitchFinder(read.switches()).findAll(asked);
        } catch (UnansweredException e) {
            throw Failure.wrongUsage(e.getMessage());
        }
    }

    @Override
    public Integer call() throws IOException, Failure {
        Words arranged = Words.of(words, 0, 1, "SWITCH");
        FabricSet read = fabric.read(arranged);
        fabric.warn(arranged.files(), read.problems());
        List<FoundFabric> fabrics = fabric.name == null ? read.fabrics() : List.of(read.choose(fabric.name));
        Predicate<Switch> isAsked = arranged.ids().isEmpty()
                ? every -> true
                : named(read, arranged.ids().getFirst())::contains;
        List<Link> links = new ArrayList<>();
        for (FoundFabric one : fabrics) {
            links.addAll(links(one, isAsked));
        }
        boolean choose = down || slow;
        if (choose) {
            links.removeIf(link -> !(down && link.isDown()) && !(slow && link.expectedBitsPerSecond() != null));
        }
        List<Link> shown = choose && arranged.ids().isEmpty() ? once(links) : links;
        output.print(
                shown,
                () -> List.of(shown.isEmpty() ? none(fabrics) : table(shown)),
                // Names may have blanks, or be those of several.
                () -> shown.stream()
                        .map(link -> link.port() == 0 ? link.switchId() : link.switchId() + ":" + link.port()));
        return 0;
    }

    private TextTable none(List<FoundFabric> fabrics) {
        if (!down) {
            return TextTable.sentence(slow ? "No link is slower than those beside it." : "No link.");
        }
        boolean elsewhere = fabrics.stream()
                .flatMap(one -> one.model().findings().stream())
                .anyMatch(finding -> finding.type() == FindingType.MissingUplink
                        && finding.places().size() < 2);
        return TextTable.sentence((slow ? "No link is down, missing or slow" : "No link is down or missing")
                + (elsewhere
                        ? " at a switch that is known; 'kubectl fabric check' tells of those that are missing elsewhere."
                        : "."));
    }

    /** From below, and in the order in which people count. */
    private static List<Link> links(FoundFabric fabric, Predicate<Switch> isAsked) {
        Topology topology = fabric.model().topology();
        Map<PortPeer, Long> expected =
                SlowLinks.expectedSpeeds(topology, fabric.model().classification());
        Map<String, List<Link>> missing = missing(fabric);
        List<Switch> switches = new ArrayList<>(fabric.switches());
        switches.sort(Comparator.comparingInt((Switch one) -> level(fabric, one))
                .thenComparing(one -> name(topology, one.id()), NaturalOrder.INSTANCE));
        List<Link> links = new ArrayList<>();
        for (Switch one : switches) {
            if (!isAsked.test(one)) {
                continue;
            }
            List<Link> own = new ArrayList<>(missing.getOrDefault(one.id(), List.of()));
            Set<Integer> numbers = one.ports().stream().map(SwitchPort::number).collect(Collectors.toSet());
            own.removeIf(link -> numbers.contains(link.port()));
            for (SwitchPort port : one.ports()) {
                own.add(new Link(
                        one.id(),
                        name(topology, one.id()),
                        port.number(),
                        port.state().name(),
                        port.speedBitsPerSecond(),
                        expected.get(new PortPeer(one.id(), port.number())),
                        port.width(),
                        port.peer() == null ? null : peer(topology, port, port.peer())));
            }
            own.sort(Comparator.comparingInt(Link::port));
            links.addAll(own);
        }
        return links;
    }

    private static int level(FoundFabric fabric, Switch one) {
        int at = fabric.model().topology().switchIndex(one.id());
        return at < 0 ? Integer.MAX_VALUE : fabric.model().classification().levelOfSwitch()[at];
    }

    private static String name(Topology topology, String id) {
        int at = topology.switchIndex(id);
        return at < 0 ? id : topology.switchName(at);
    }

    private static Peer peer(Topology topology, SwitchPort port, PortPeer peer) {
        String device = port.peerHost() == null || port.peerOsName() == null
                ? peer.id()
                : port.peerHost() + "/" + port.peerOsName();
        return new Peer(
                peer.id(), topology.switchIndex(peer.id()) < 0 ? device : name(topology, peer.id()), peer.port());
    }

    /** By switch, the cables that it lacks. */
    private static Map<String, List<Link>> missing(FoundFabric fabric) {
        Map<String, List<Link>> missing = new HashMap<>();
        for (Finding finding : fabric.model().findings()) {
            List<Finding.Place> places = finding.places();
            for (int i = 0; finding.type() == FindingType.MissingUplink && i + 1 < places.size(); i += 2) {
                addMissing(places.get(i), places.get(i + 1), missing);
                addMissing(places.get(i + 1), places.get(i), missing);
            }
        }
        return missing;
    }

    private static void addMissing(Finding.Place at, Finding.Place far, Map<String, List<Link>> missing) {
        missing.computeIfAbsent(at.id(), id -> new ArrayList<>())
                .add(new Link(
                        at.id(),
                        at.name(),
                        at.port(),
                        MISSING,
                        null,
                        null,
                        null,
                        new Peer(far.id(), far.name(), far.port())));
    }

    private static List<Link> once(List<Link> links) {
        Set<List<PortPeer>> told = new HashSet<>();
        List<Link> once = new ArrayList<>();
        for (Link link : links) {
            PortPeer near = new PortPeer(link.switchId(), link.port());
            PortPeer far = link.peer() == null
                    ? near
                    : new PortPeer(link.peer().id(), link.peer().port());
            if (!told.contains(List.of(far, near)) || near.equals(far)) {
                told.add(List.of(near, far));
                once.add(link);
            }
        }
        return once;
    }

    private static TextTable table(List<Link> links) {
        TextTable table = new TextTable("SWITCH", "PORT", "STATE", "GBIT/S", "WIDTH", "PEER", "PEERPORT")
                .leavingOut("WIDTH", "PEERPORT", "GBIT/S");
        for (Link link : links) {
            Peer peer = link.peer();
            boolean isUp = link.state().equals(PortState.Active.name());
            table.row(
                    link.name(),
                    link.port() == 0 ? null : link.port(),
                    new TextTable.Coloured(
                            link.state(),
                            link.isDown()
                                    ? TextTable.Colour.red
                                    : isUp ? TextTable.Colour.green : TextTable.Colour.yellow),
                    speed(link),
                    link.width() == null ? null : link.width() + "x",
                    peer == null ? null : peer.name(),
                    peer == null || peer.port() == 0 ? null : peer.port());
        }
        return table;
    }

    private static Object speed(Link link) {
        String speed = Objects.requireNonNullElse(CellFormat.gigabits(link.speedBitsPerSecond()), "?");
        String expected = CellFormat.gigabits(link.expectedBitsPerSecond());
        return expected == null
                ? new TextTable.Coloured(link.speedBitsPerSecond() == null ? null : speed, null)
                : new TextTable.Coloured(speed + " of " + expected, TextTable.Colour.yellow);
    }
}
