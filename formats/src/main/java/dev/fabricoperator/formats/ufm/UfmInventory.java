/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.formats.ufm;

import dev.fabricoperator.fabric.cabling.BadInputException;
import dev.fabricoperator.fabric.cabling.CablingCollector;
import dev.fabricoperator.fabric.cabling.HeapBudget;
import dev.fabricoperator.fabric.cabling.LinkRate;
import dev.fabricoperator.fabric.device.PortState;
import dev.fabricoperator.formats.ufm.Element.Field;
import dev.fabricoperator.formats.ufm.UfmObjects.End;
import dev.fabricoperator.formats.ufm.UfmObjects.Kind;
import dev.fabricoperator.formats.ufm.UfmObjects.UfmLink;
import dev.fabricoperator.formats.ufm.UfmObjects.UfmPort;
import dev.fabricoperator.formats.ufm.UfmObjects.UfmSystem;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** Systems, ports and links of UFM's responses, each validated by itself. */
final class UfmInventory {
    private static final int MAX_SYSTEMS = 1 << 18;
    private static final int MAX_PORTS = 1 << 20;
    private static final int MAX_LINKS = 1 << 20;
    private static final int MAX_LANES = 64;

    /** A name, its boxed GUID, and its entries in maps. */
    private static final int BYTES_OF_NAMED_PORT = 128;

    /** 0xbfff is the highest unicast LID. */
    private static final int MAX_LID = 0xbfff;

    private final CablingCollector collector;
    final Map<Long, UfmSystem> systems = new LinkedHashMap<>();

    /** Those whose own GUID differs from the system's. */
    private final Map<Long, UfmSystem> otherwise = new HashMap<>();

    final Map<PortId, UfmPort> ports = new LinkedHashMap<>();
    final List<UfmLink> links = new ArrayList<>();
    private final int[] elements = new int[UfmReader.Section.values().length];
    private int namedPorts;
    /** Ports that are up at a speed that is not known here. */
    private int unknownRates;

    private int lineOfUnknownRate;
    private String unknownRate = "";

    UfmInventory(CablingCollector collector) {
        this.collector = collector;
    }

    boolean isEmpty() {
        return systems.isEmpty() && ports.isEmpty() && links.isEmpty();
    }

    /** The system of this GUID, be it the system's or the one that links use. */
    @Nullable
    UfmSystem system(long guid) {
        UfmSystem system = systems.get(guid);
        return system == null ? otherwise.get(guid) : system;
    }

    void tellUnknownRates() {
        if (unknownRates > 0) {
            collector.problem(
                    lineOfUnknownRate,
                    (unknownRates == 1 ? "1 port has " : unknownRates + " ports have ") + LinkRate.UNKNOWN
                            + ", such as '" + unknownRate + "'");
        }
    }

    void wrongType(int line, String field, String what) {
        collector.problem(line, field + " is " + what + " and is not read");
    }

    /** A system names one more port. */
    void countPort(int line) throws BadInputException {
        collector.spend(line, BYTES_OF_NAMED_PORT);
        if (namedPorts++ == MAX_PORTS) {
            throw collector.bad(line, "systems name more than " + MAX_PORTS + " ports");
        }
    }

    /** @param portNames {@code null} for an object without them */
    void add(UfmReader.Section section, Element element, @Nullable List<PortId> portNames) throws BadInputException {
        UfmReader.Section kind = section == UfmReader.Section.data ? tell(element, portNames != null) : section;
        if (kind == null) {
            throw collector.bad(element.line, "this object is neither a system nor a port nor a link");
        }
        // Texts also become keys and names of nodes.
        collector.spend(element.line, HeapBudget.BYTES_OF_PORT + 2 * element.textBytes());
        String what = kind + "[" + elements[kind.ordinal()]++ + "]";
        switch (kind) {
            case links -> addLink(element, what);
            case ports -> addPort(element, what);
            case systems, data -> addSystem(element, what, portNames == null ? List.of() : portNames);
        }
    }

    private static UfmReader.@Nullable Section tell(Element element, boolean namesPorts) {
        if (element.has(Field.source_guid)
                || element.has(Field.destination_guid)
                || element.has(Field.source_port)
                || element.has(Field.destination_port)) {
            return UfmReader.Section.links;
        }
        if (element.has(Field.number)
                || element.has(Field.systemID)
                || element.has(Field.peer)
                || element.has(Field.logical_state)) {
            return UfmReader.Section.ports;
        }
        boolean system = namesPorts || element.has(Field.system_guid) || element.has(Field.system_name);
        return system || element.has(Field.type) ? UfmReader.Section.systems : null;
    }

    private void addLink(Element element, String what) throws BadInputException {
        if (links.size() == MAX_LINKS) {
            throw collector.bad(element.line, "more than " + MAX_LINKS + " links");
        }
        PortId source = end(element, Field.source_guid, Field.source_port, what);
        PortId destination = end(element, Field.destination_guid, Field.destination_port, what);
        if (source == null || destination == null) {
            collector.problem(element.line, what + ": a link to nowhere is left out");
            return;
        }
        @Nullable
        PortId[] names = {
            PortId.parse(element.text(Field.source_port_name)), PortId.parse(element.text(Field.destination_port_name))
        };
        if (names[0] == null || names[1] == null) {
            names = named(element.text(Field.name), source, destination);
        }
        links.add(new UfmLink(
                element.line,
                new End(
                        Objects.requireNonNullElse(names[0], source),
                        source.guid(),
                        element.text(Field.source_port_dname),
                        element.text(Field.source_port_node_description)),
                new End(
                        Objects.requireNonNullElse(names[1], destination),
                        destination.guid(),
                        element.text(Field.destination_port_dname),
                        element.text(Field.destination_port_node_description)),
                width(element.text(Field.width))));
    }

    /** {@code null} where UFM does not know the end. */
    private @Nullable PortId end(Element element, Field guidField, Field portField, String what)
            throws BadInputException {
        long guid = guid(element, guidField, what);
        if (!element.has(portField)) {
            throw collector.bad(element.line, what + ": no " + portField);
        }
        String port = element.text(portField);
        if (guid == 0 || port == null) {
            return null;
        }
        int number = PortId.number(port);
        if (number < 0) {
            throw collector.bad(
                    element.line, what + "." + portField + ": \"" + CablingCollector.printable(port) + "\" is no port");
        }
        return number == 0 ? null : new PortId(guid, number);
    }

    /** 0 where UFM does not know it. */
    private long guid(Element element, Field field, String what) throws BadInputException {
        if (!element.has(field)) {
            throw collector.bad(element.line, what + ": no " + field);
        }
        String text = element.text(field);
        if (text == null) {
            return 0;
        }
        long guid = PortId.guid(text);
        if (guid == 0 && !isZero(text)) {
            throw collector.bad(
                    element.line, what + "." + field + ": \"" + CablingCollector.printable(text) + "\" is no GUID");
        }
        return guid;
    }

    private static boolean isZero(String text) {
        return text.chars().allMatch(c -> c == '0' || c == 'x' || c == ':');
    }

    /**
     * A link's name is made of its ports' names, in no certain order. It is the only place that tells the adapters of a
     * host apart: an end's GUID is the host's.
     */
    private static @Nullable PortId[] named(@Nullable String name, PortId source, PortId destination) {
        int colon = name == null ? -1 : name.indexOf(':');
        PortId one =
                colon < 0 ? null : PortId.parse(Objects.requireNonNull(name).substring(0, colon));
        PortId other =
                colon < 0 ? null : PortId.parse(Objects.requireNonNull(name).substring(colon + 1));
        if (one == null || other == null) {
            return new PortId[] {null, null};
        }
        if (one.equals(source) || other.equals(destination)) {
            return new PortId[] {one, other};
        }
        if (one.equals(destination) || other.equals(source)) {
            return new PortId[] {other, one};
        }
        if (one.number() == source.number() && other.number() == destination.number()) {
            return new PortId[] {one, other};
        }
        boolean turned = one.number() == destination.number() && other.number() == source.number();
        return turned ? new PortId[] {other, one} : new PortId[] {null, null};
    }

    private void addPort(Element element, String what) throws BadInputException {
        if (ports.size() == MAX_PORTS) {
            throw collector.bad(element.line, "more than " + MAX_PORTS + " ports");
        }
        PortId id = PortId.parse(element.text(Field.name));
        if (id == null) {
            id = end(element, Field.guid, Field.number, what);
        }
        if (id == null) {
            collector.problem(element.line, what + ": a port without a GUID is left out");
            return;
        }
        LinkRate rate = rate(element.text(Field.active_width), element.text(Field.active_speed));
        if (state(element.text(Field.logical_state)) == PortState.Active
                && element.text(Field.active_speed) != null
                && (rate == null || rate.bitsPerSecond() == null)
                && unknownRates++ == 0) {
            lineOfUnknownRate = element.line;
            unknownRate = element.text(Field.active_width) + " " + element.text(Field.active_speed);
        }
        UfmPort port = new UfmPort(
                element.line,
                id,
                optionalGuid(element, Field.systemID, what),
                kindOfPort(element),
                element.text(Field.dname),
                element.text(Field.node_description),
                state(element.text(Field.logical_state)),
                rate == null ? null : rate.bitsPerSecond(),
                rate == null ? width(element.text(Field.active_width)) : Integer.valueOf(rate.width()),
                lid(element.text(Field.lid)),
                PortId.parse(element.text(Field.peer)),
                optionalGuid(element, Field.peer_node_guid, what),
                element.text(Field.peer_port_dname),
                element.text(Field.peer_node_description));
        UfmPort known = ports.putIfAbsent(id, port);
        if (known != null) {
            boolean same = Objects.equals(known.peer(), port.peer()) && known.state() == port.state();
            collector.problem(
                    element.line,
                    what + ": " + id + " is there twice, " + (same ? "" : "and otherwise, ") + "first on line "
                            + known.line() + "; the first counts");
        }
    }

    private long optionalGuid(Element element, Field field, String what) throws BadInputException {
        return element.has(field) ? guid(element, field, what) : 0;
    }

    private static Kind kindOfPort(Element element) {
        String description = element.text(Field.description);
        String path = element.text(Field.path);
        if (description != null && description.startsWith("Switch") || path != null && path.contains("/ Switch:")) {
            return Kind.SWITCH;
        }
        boolean host = description != null && description.startsWith("Computer")
                || path != null && (path.contains("/ Computer:") || path.contains("/ Host:"));
        return host ? Kind.DEVICE : Kind.UNKNOWN;
    }

    private void addSystem(Element element, String what, List<PortId> portNames) throws BadInputException {
        if (systems.size() == MAX_SYSTEMS) {
            throw collector.bad(element.line, "more than " + MAX_SYSTEMS + " systems");
        }
        long own = optionalGuid(element, Field.guid, what);
        long guid = own != 0 || element.has(Field.guid)
                ? optionalGuid(element, Field.system_guid, what)
                : guid(element, Field.system_guid, what);
        guid = guid == 0 ? own : guid;
        if (guid == 0) {
            collector.problem(element.line, what + ": a system without a GUID is left out");
            return;
        }
        String model = element.text(Field.model);
        UfmSystem system = new UfmSystem(
                element.line,
                guid,
                kindOfSystem(element.text(Field.type), element.text(Field.system_name)),
                element.text(Field.system_name),
                element.text(Field.vendor),
                model == null ? element.text(Field.description) : model,
                portNames);
        if (own != 0 && own != guid) {
            otherwise.putIfAbsent(own, system);
        }
        UfmSystem known = systems.putIfAbsent(guid, system);
        if (known != null) {
            collector.problem(
                    element.line,
                    what + ": system " + PortId.text(guid) + " is there twice, first on line " + known.line()
                            + "; the first counts");
        }
    }

    private static Kind kindOfSystem(@Nullable String type, @Nullable String name) {
        if (name != null && name.endsWith(Description.AGGREGATION)) {
            return Kind.AGGREGATION;
        }
        return switch (type == null ? "" : type.toLowerCase(Locale.ROOT)) {
            case "switch", "director", "chassis" -> Kind.SWITCH;
            case "host", "computer", "server", "gateway" -> Kind.DEVICE;
            case "router" -> Kind.ROUTER;
            default -> Kind.UNKNOWN;
        };
    }

    private static PortState state(@Nullable String logical) {
        return switch (logical == null ? "" : logical.toLowerCase(Locale.ROOT)) {
            case "active" -> PortState.Active;
            case "armed", "arm" -> PortState.Armed;
            case "init", "initialize", "initializing" -> PortState.Init;
            case "down", "disabled", "inactive" -> PortState.Down;
            default -> PortState.Unknown;
        };
    }

    private static @Nullable LinkRate rate(@Nullable String width, @Nullable String speed) {
        if (width == null || speed == null) {
            return null;
        }
        return sane(LinkRate.parse(plain(width) + speed.toUpperCase(Locale.ROOT)));
    }

    private static @Nullable LinkRate sane(@Nullable LinkRate rate) {
        return rate == null || rate.width() < 1 || rate.width() > MAX_LANES ? null : rate;
    }

    private static @Nullable Integer width(@Nullable String text) {
        LinkRate rate = text == null ? null : sane(LinkRate.parse(plain(text)));
        return rate == null ? null : Integer.valueOf(rate.width());
    }

    /** {@code 4x} for {@code IB_4x} and {@code 4X}. */
    private static String plain(String width) {
        String text = width.toLowerCase(Locale.ROOT);
        return text.startsWith("ib_") ? text.substring(3) : text;
    }

    private static @Nullable Integer lid(@Nullable String text) {
        int lid = text == null ? -1 : PortId.number(text);
        return lid > 0 && lid <= MAX_LID ? Integer.valueOf(lid) : null;
    }
}
