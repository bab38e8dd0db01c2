/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.fabric.cabling.lldp;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * Answers of {@code lldpctl -f keyvalue}, of one system or of many one after the other: lines of
 * {@code lldp.<interface>.<what>=<value>}, where an interface's name may have dots in it.
 *
 * <p>A value may have several lines, as descriptions by Cisco and Comware do: a line that is none of these continues the
 * value before, whatever it holds. Between two answers it is a header instead, which names the next system or is empty:
 * that is before a {@code via}, with which each neighbour begins, and behind a value that is no text; behind a text only
 * where it has a header's marks ({@code ==> leaf01 <==}, {@code # leaf01}).
 *
 * <p>Another system begins after a header, after what {@code lldpcli show chassis} says of it ({@code local-chassis.}), and
 * where an interface comes again after others, or a neighbour's number stands for another one. An interface with several
 * neighbours has one {@code via} for each.
 */
public final class KeyValueOutputReader {
    private static final String PREFIX = "lldp.";

    /** What {@code lldpcli show chassis} prints of the asked system itself. */
    private static final String OWN_PREFIX = "local-chassis.";

    /** What may follow an interface's name; a name can hold dots, and what follows it more of them. */
    private static final List<String> SECTIONS = List.of(
            ".via",
            ".rid",
            ".age",
            ".chassis.",
            ".port.",
            ".ttl.",
            ".lldp-med.",
            ".vlan",
            ".ppvid.",
            ".pi",
            ".pi.",
            ".unknown-tlvs.");

    private static final List<String> ID_TYPES =
            List.of("unhandled", "chassis", "port", "ip", "local", "ifalias", "mac", "ifname");

    /** Of a system and of a port: text of any number of lines. */
    private static final String DESCRIPTION = ".descr";

    /** Of a value of several lines; a description has 255 octets. */
    private static final int MAX_VALUE = 4096;

    private final List<LldpOutput> finished = new ArrayList<>();
    private final List<Open> neighbors = new ArrayList<>();
    private final Map<String, Open> latest = new LinkedHashMap<>();
    private @Nullable String system;
    private @Nullable String chassisId;
    private @Nullable String last;

    /** Whether the line before was of the asked system's own description. */
    private boolean inOwnDescription;

    /** What the last line of a key and a value was about, until lines of neither are known to be its value's. */
    private @Nullable Open lastOpen;

    private String lastWhat = "";
    private final StringBuilder continued = new StringBuilder();
    private @Nullable String lastOfContinued;

    /** A neighbour while it is being described. */
    private static final class Open {
        final LldpNeighborBuilder neighbor;
        final Map<String, String> values = new HashMap<>();
        final Set<String> capabilities = new TreeSet<>();

        final int line;
        final @Nullable Open before;

        Open(String netdev, int line, @Nullable Open before) {
            this.line = line;
            this.before = before;
            neighbor = LldpNeighborBuilder.builder().netdev(netdev).line(line);
        }
    }

    /** Whether a line is of this form. */
    public static boolean isOne(String line) {
        return line.startsWith(PREFIX) && line.indexOf('=') > 0;
    }

    /** @return what is wrong with the line, {@code null} where nothing is */
    public @Nullable String line(int number, String line) {
        int equals = line.indexOf('=');
        if (!isOne(line)) {
            if (line.startsWith(PREFIX) || line.startsWith(OWN_PREFIX) && equals < 0) {
                return "no value: the line is cut";
            }
            if (line.startsWith(OWN_PREFIX)) {
                own(line.substring(OWN_PREFIX.length(), equals), line.substring(equals + 1));
            } else if (lastOpen == null) {
                if (!inOwnDescription || isMarked(line)) {
                    header(line);
                }
            } else {
                if (continued.length() < MAX_VALUE) {
                    continued.append('\n').append(line, 0, Math.min(line.length(), MAX_VALUE));
                }
                // Several lines between answers: the last that says something names the next.
                lastOfContinued = lastOfContinued == null || !line.isBlank() ? line : lastOfContinued;
            }
            return null;
        }
        String key = line.substring(PREFIX.length() - 1, equals);
        int end = -1;
        for (String section : SECTIONS) {
            int at = key.indexOf(section, 1);
            boolean whole = at > 0
                    && (section.endsWith(".") || at + section.length() == key.length() || section.equals(".vlan"));
            if (whole && (end < 0 || at < end)) {
                end = at;
            }
        }
        if (end < 0) {
            return "not lldp.<interface>.<what>=<value>";
        }
        String what = key.substring(end + 1);
        settle(what.equals("via"));
        inOwnDescription = false;
        return value(number, key.substring(1, end), what, line.substring(equals + 1));
    }

    /** @param begins whether a neighbour begins behind the lines whose meaning is open */
    private void settle(boolean begins) {
        String header = lastOfContinued;
        Open open = lastOpen;
        if (header != null && open != null) {
            if (begins && (!lastWhat.endsWith(DESCRIPTION) || isMarked(header))) {
                header(header);
            } else {
                // A key may come again, and its lines with it.
                open.values.computeIfPresent(
                        lastWhat, (what, value) -> value.length() < MAX_VALUE ? value + continued : value);
            }
        }
        continued.setLength(0);
        lastOfContinued = null;
    }

    /** Whether a line looks like a header, and not like a line of a text: empty, or set off by marks. */
    private static boolean isMarked(String line) {
        String stripped = line.strip();
        return stripped.isEmpty()
                || stripped.startsWith("==")
                || stripped.startsWith("--")
                || stripped.startsWith("**")
                || stripped.startsWith("#");
    }

    private void header(String line) {
        finish();
        inOwnDescription = false;
        if (!line.isBlank()) {
            system = name(line);
            chassisId = null;
        }
    }

    /** The identity of the system whose answer follows, or of the only one, which was before. */
    private void own(String what, String value) {
        settle(true);
        finish();
        inOwnDescription = what.endsWith(DESCRIPTION);
        if (what.equals("chassis.name")) {
            system = value;
        } else if (what.startsWith("chassis.") && ID_TYPES.contains(what.substring("chassis.".length()))) {
            chassisId = value;
        }
    }

    private @Nullable String value(int number, String netdev, String what, String value) {
        Open known = latest.get(netdev);
        boolean begins = what.equals("via");
        if (begins && known != null && !netdev.equals(last)) {
            finish();
            known = null;
        }
        if (known == null || begins && known.values.containsKey(what)) {
            known = open(netdev, number);
        }
        if (begins) {
            last = netdev;
        }
        boolean only = system == null && chassisId == null && latest.size() == 1;
        if (only && what.equals("rid") && known.before != null && value.equals(known.before.values.get(what))) {
            // lldpd numbers the chassis that it hears. Of systems with one interface the same number again is rather
            // that of another system's; a switch may hear two ports of one chassis on an interface.
            neighbors.remove(known);
            finish();
            Open again = open(netdev, known.line);
            again.values.putAll(known.values);
            known = again;
            last = netdev;
        }
        lastOpen = known;
        lastWhat = what;
        String enabled =
                what.startsWith("chassis.") && what.endsWith(".enabled") && what.length() > "chassis..enabled".length()
                        ? what.substring("chassis.".length(), what.length() - ".enabled".length())
                        : null;
        if (enabled != null) {
            if (value.equals("on")) {
                known.capabilities.add(enabled);
            }
            return null;
        }
        String before = known.values.putIfAbsent(what, value);
        boolean single = what.equals("chassis.name") || what.startsWith("port.") || what.equals("chassis.mac");
        return before != null && single && !before.equals(value)
                ? what + " of " + netdev + " was another before; the first one counts"
                : null;
    }

    private Open open(String netdev, int number) {
        Open opened = new Open(netdev, number, latest.get(netdev));
        latest.put(netdev, opened);
        neighbors.add(opened);
        return opened;
    }

    /** What a line between answers calls the next system: the last word, without marks around it. */
    private static @Nullable String name(String line) {
        // No expression: one that is anchored at the end takes quadratic time on a line of nothing but marks.
        int from = 0;
        int to = line.length();
        while (from < to && !isLetterOrDigit(line.charAt(from))) {
            from++;
        }
        while (to > from && !isLetterOrDigit(line.charAt(to - 1))) {
            to--;
        }
        String name = line.substring(Math.max(from, line.lastIndexOf(' ', to - 1) + 1), to);
        name = name.substring(Math.max(name.lastIndexOf('='), name.lastIndexOf('/')) + 1);
        return name.isEmpty() ? null : name;
    }

    private static boolean isLetterOrDigit(char c) {
        return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9';
    }

    /** Everything that was described, in order. */
    public List<LldpOutput> outputs() {
        settle(false);
        finish();
        if (finished.size() == 1 && finished.getFirst().system() == null && chassisId != null) {
            LldpOutput only = finished.getFirst();
            finished.set(0, new LldpOutput(system, chassisId, only.line(), only.neighbors()));
        }
        return List.copyOf(finished);
    }

    private void finish() {
        if (!neighbors.isEmpty()) {
            List<LldpNeighbor> all =
                    neighbors.stream().map(KeyValueOutputReader::neighbor).toList();
            int from = 0;
            for (int to = boundary(all, from); to < all.size(); to = boundary(all, from)) {
                add(all.subList(from, to));
                from = to;
            }
            add(all.subList(from, all.size()));
            system = null;
            chassisId = null;
        }
        neighbors.clear();
        latest.clear();
        last = null;
        lastOpen = null;
    }

    private void add(List<LldpNeighbor> of) {
        finished.add(new LldpOutput(system, chassisId, of.getFirst().line(), of));
    }

    /**
     * Where the next system's answer begins, as far as numbers tell: a daemon numbers the chassis that it hears, so that
     * one number with two chassis is that of two daemons. The place is where interfaces begin to be called otherwise.
     */
    private static int boundary(List<LldpNeighbor> all, int from) {
        Map<String, String> chassis = new HashMap<>();
        int renamed = -1;
        for (int i = from; i < all.size(); i++) {
            LldpNeighbor neighbor = all.get(i);
            if (i > from
                    && !letters(neighbor.netdev()).equals(letters(all.get(i - 1).netdev()))) {
                renamed = i;
            }
            String id = neighbor.id();
            if (neighbor.remoteIndex() != null && id != null) {
                String before = chassis.putIfAbsent(neighbor.remoteIndex(), id);
                if (before != null && !before.equals(id)) {
                    return renamed > 0 ? renamed : i;
                }
            }
        }
        return all.size();
    }

    /** What a family of interfaces shares. */
    private static String letters(String netdev) {
        int end = 0;
        while (end < netdev.length() && !Character.isDigit(netdev.charAt(end))) {
            end++;
        }
        return netdev.substring(0, end);
    }

    private static LldpNeighbor neighbor(Open open) {
        LldpNeighborBuilder made = open.neighbor
                .protocol(open.values.get("via"))
                .remoteIndex(open.values.get("rid"))
                .chassisName(open.values.get("chassis.name"))
                .chassisDescription(open.values.get("chassis.descr"))
                .capabilities(new HashSet<>(open.capabilities))
                .deviceType(open.values.get("lldp-med.device-type"))
                .manufacturer(open.values.get("lldp-med.inventory.manufacturer"))
                .model(open.values.get("lldp-med.inventory.model"))
                .portDescription(open.values.get("port.descr"))
                .mediaType(open.values.get("port.auto-negotiation.current"));
        for (String type : ID_TYPES) {
            String chassis = open.values.get("chassis." + type);
            if (chassis != null) {
                made.chassisIdType(type).chassisId(chassis);
            }
            String port = open.values.get("port." + type);
            if (port != null) {
                made.portIdType(type).portId(port);
            }
        }
        return made.build();
    }
}
