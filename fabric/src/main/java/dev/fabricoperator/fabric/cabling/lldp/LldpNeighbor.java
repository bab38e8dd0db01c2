/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.fabric.cabling.lldp;

import dev.fabricoperator.fabric.cabling.NodeId;
import io.soabase.recordbuilder.core.RecordBuilder;
import java.util.Locale;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * One neighbour on one interface of the system that was asked. What the neighbour did not announce is {@code null}.
 *
 * @param netdev the asked system's interface
 * @param protocol {@code LLDP}, or whatever else lldpd understands ({@code CDPv2}, {@code EDP}, ...)
 * @param chassisIdType lldpd's word for IEEE 802.1AB's chassis ID subtype: {@code mac}, {@code local}, {@code ifname}, ...
 * @param chassisName the neighbour's name for itself (System Name TLV)
 * @param capabilities those that are enabled, in lldpd's words: {@code Bridge}, {@code Router}, {@code Station}, ...
 * @param deviceType what LLDP-MED says it is
 * @param portIdType as {@code chassisIdType}, of the far port
 * @param mediaType operational MAU type of the far port in lldpd's words
 * @param line where the text begins to speak of it
 * @see "IEEE Std 802.1AB-2016, clause 8.5, basic TLVs; lldpctl(8)"
 */
@RecordBuilder
public record LldpNeighbor(
        String netdev,
        @Nullable String protocol,
        @Nullable String remoteIndex,
        @Nullable String chassisIdType,
        @Nullable String chassisId,
        @Nullable String chassisName,
        @Nullable String chassisDescription,
        Set<String> capabilities,
        @Nullable String deviceType,
        @Nullable String manufacturer,
        @Nullable String model,
        @Nullable String portIdType,
        @Nullable String portId,
        @Nullable String portDescription,
        @Nullable String mediaType,
        int line) {

    /** An interface's name: no blanks, a letter or digit first, a digit somewhere. */
    private static final Pattern PORT_NAME = Pattern.compile("(?=[^0-9]{0,31}[0-9])[A-Za-z0-9][A-Za-z0-9/:._-]{0,31}");

    /** {@code TenGigabitEthernet 0/12}, as some switches write them. */
    private static final Pattern PORT_NAME_OF_TWO_WORDS =
            Pattern.compile("[A-Za-z][A-Za-z-]{0,31} \\d{1,5}([/:.]\\d{1,5}){1,4}");

    /** What is a port's name, and not what a person calls the system at its other end: slashes, or a word for ports. */
    private static final Pattern NAME_OF_PORTS = Pattern.compile(
            ".*\\d[/:]\\d.*|(?i:swp|e|et|eth|etp|ethernet|ether|port|po|xe|ge|te|ce|sfp|qsfp|em|en\\w+|ib\\w*|hsn|p\\d+p)[-_]?\\d.*");

    /** {@code ge-0/0/11.0}: a port with the number of a unit on it. */
    private static final Pattern UNIT =
            Pattern.compile("([a-z]{2,3}-\\d{1,3}/\\d{1,3}/\\d{1,3}(?::\\d{1,3})?)\\.\\d{1,5}");

    private static final Pattern MEDIA = Pattern.compile("(\\d{1,4})(Gig?)?base.*", Pattern.CASE_INSENSITIVE);
    private static final long MEGA = 1_000_000L;

    public LldpNeighbor {
        capabilities = capabilities == null ? Set.of() : Set.copyOf(capabilities);
    }

    /** Whether it came by LLDP, not by a vendor's protocol of which lldpd makes the same. */
    public boolean isLldp() {
        return protocol == null || protocol.toUpperCase(Locale.ROOT).startsWith("LLDP");
    }

    /** The neighbour's id as topologies spell it: its chassis ID, else its name; {@code null} where neither can be one. */
    public @Nullable String id() {
        String chassis = usable(chassisId);
        return chassis != null ? chassis : usable(chassisName);
    }

    private static @Nullable String usable(@Nullable String text) {
        String id = text == null ? "" : NodeId.of(text.strip());
        return NodeId.isUsable(id) ? id : null;
    }

    /**
     * The far port's name: its ID where that is an interface's name, else its description where that looks like one,
     * else its ID. Linux hosts announce a MAC as the ID and the interface in the description, switches often the other
     * way round, with a person's words in the description.
     */
    public @Nullable String port() {
        String port = announced();
        Matcher unit = UNIT.matcher(port == null ? "" : port);
        return unit.matches() ? unit.group(1) : port;
    }

    private @Nullable String announced() {
        String id = portId == null || portId.isBlank() ? null : portId.strip();
        String description = portDescription == null ? "" : portDescription.strip();
        boolean named = id != null && ("ifname".equals(portIdType) || !isNumberOrMac(id) && isPortName(id));
        if (named || !isPortName(description)) {
            return id;
        }
        // Junos and others count their ports, and announce what a person wrote about one: often which host, or which
        // interface of it, is there.
        boolean counted = id != null && "local".equals(portIdType) && isNumber(id);
        boolean aPersonsWords = !NAME_OF_PORTS.matcher(description).matches() || description.equals(netdev);
        return counted && aPersonsWords ? id : description;
    }

    /** Whether a text can be the name of an interface, and is no MAC. */
    public static boolean isPortName(String text) {
        return PORT_NAME.matcher(text).matches() && NodeId.mac(text) == null
                || PORT_NAME_OF_TWO_WORDS.matcher(text).matches();
    }

    private static boolean isNumberOrMac(String text) {
        return NodeId.mac(text) != null || isNumber(text);
    }

    private static boolean isNumber(String text) {
        return text.chars().allMatch(c -> c >= '0' && c <= '9');
    }

    /** Speed of the cable in bits per second as the far port's medium tells, {@code null} where it does not. */
    public @Nullable Long speedBitsPerSecond() {
        Matcher media = MEDIA.matcher(mediaType == null ? "" : mediaType);
        if (!media.lookingAt()) {
            return null;
        }
        return Long.parseLong(media.group(1)) * (media.group(2) == null ? 1 : 1000) * MEGA;
    }
}
