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
        String id = portId == null || portId.isBlank() ? null : portId.strip();
        String description = portDescription == null ? "" : portDescription.strip();
        boolean named = id != null && ("ifname".equals(portIdType) || !isNumberOrMac(id) && isPortName(id));
        if (named || !isPortName(description)) {
            return id;
        }
        return description;
    }

    /** Whether a text can be the name of an interface, and is no MAC. */
    public static boolean isPortName(String text) {
        return PORT_NAME.matcher(text).matches() && NodeId.mac(text) == null;
    }

    private static boolean isNumberOrMac(String text) {
        return NodeId.mac(text) != null || text.chars().allMatch(c -> c >= '0' && c <= '9');
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
