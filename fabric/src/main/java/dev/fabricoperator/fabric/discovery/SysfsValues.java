/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.fabric.discovery;

import dev.fabricoperator.fabric.device.PortState;
import dev.fabricoperator.fabric.discovery.AttributeReader.Garbled;
import java.util.BitSet;
import java.util.Locale;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Values as the kernel prints them.
 *
 * <p>Each method is a parser: null for a value that stands for "unknown", {@link Garbled} for one that no kernel prints.
 *
 * @see "Linux Documentation/ABI/stable/sysfs-class-infiniband, testing/sysfs-class-net, drivers/infiniband/core/sysfs.c"
 */
final class SysfsValues {

    /** Lanes and rate in bits per second. */
    record Rate(long bitsPerSecond, int width) {}

    static final String ZERO_GID = "0000:0000:0000:0000:0000:0000:0000:0000";

    private static final Pattern GUID = Pattern.compile("[0-9a-f]{4}(:[0-9a-f]{4}){3}");
    private static final Pattern GID = Pattern.compile("[0-9a-f]{4}(:[0-9a-f]{4}){7}");
    private static final Pattern HARDWARE_ADDRESS =
            Pattern.compile("[0-9a-f]{2}(:[0-9a-f]{2}){5}((:[0-9a-f]{2}){14})?");
    private static final Pattern HEX = Pattern.compile("0x([0-9a-f]{1,8})");
    private static final Pattern STATE = Pattern.compile("([0-9]+)(?:: *(.*))?");
    private static final Pattern RATE =
            Pattern.compile("([0-9]{1,6})(\\.[0-9])? Gb/sec \\(([0-9]{1,2})X( [A-Z0-9]+)?\\)");
    /** What MLNX_OFED's driver prints for an empty port has neither the kernel's unit nor a width. */
    private static final Pattern ZERO_RATE = Pattern.compile("0(\\.0)? G[Bb]/sec( \\([A-Z0-9 ]*\\))?");

    private static final Pattern CPU_RANGE = Pattern.compile("([0-9]{1,7})(?:-([0-9]{1,7}))?");

    private static final Map<Integer, String> STATES =
            Map.of(0, "NOP", 1, "DOWN", 2, "INIT", 3, "ARMED", 4, "ACTIVE", 5, "ACTIVE_DEFER");
    private static final Map<Integer, String> PHYSICAL_STATES = Map.of(
            1, "Sleep",
            2, "Polling",
            3, "Disabled",
            4, "PortConfigurationTraining",
            5, "LinkUp",
            6, "LinkErrorRecovery",
            7, "Phy Test");

    /** A kernel's or driver's free text is short; what is longer is not what the file is for. */
    private static final int MAXIMUM_TEXT = 128;

    private static final int MAXIMUM_CPUS = 1 << 20;

    private SysfsValues() {}

    static String text(String line) throws Garbled {
        if (line.length() > MAXIMUM_TEXT) {
            throw new Garbled("longer than " + MAXIMUM_TEXT + " characters");
        }
        return line;
    }

    /** A GUID with its colons; null for zero. */
    static @Nullable String guid(String line) throws Garbled {
        String guid = line.toLowerCase(Locale.ROOT);
        if (!GUID.matcher(guid).matches()) {
            throw new Garbled("not a GUID: " + quoted(line));
        }
        return guid.equals("0000:0000:0000:0000") ? null : guid;
    }

    /** A GID with its colons; null for an empty entry, which some drivers print with the default subnet prefix. */
    static @Nullable String gid(String line) throws Garbled {
        String gid = line.toLowerCase(Locale.ROOT);
        if (!GID.matcher(gid).matches()) {
            throw new Garbled("not a GID: " + quoted(line));
        }
        return gid.equals(ZERO_GID) || gid.equals("fe80:0000:0000:0000:0000:0000:0000:0000") ? null : gid;
    }

    /** A hardware address of 6 or 20 bytes, lower case; null for zero. */
    static @Nullable String hardwareAddress(String line) throws Garbled {
        String address = line.toLowerCase(Locale.ROOT);
        if (!HARDWARE_ADDRESS.matcher(address).matches()) {
            throw new Garbled("not a link-layer address: " + quoted(line));
        }
        return address.matches("00(:00)*") ? null : address;
    }

    /** A LID; null for 0 and 0xffff. OmniPath has LIDs of 24 bits. */
    static @Nullable Integer lid(String line) throws Garbled {
        int lid = hex(line);
        if (lid < 0 || lid > 0xff_ffff) {
            throw new Garbled("not a LID: " + quoted(line));
        }
        return lid == 0 || lid == 0xffff ? null : lid;
    }

    static int hex(String line) throws Garbled {
        Matcher matcher = HEX.matcher(line.toLowerCase(Locale.ROOT));
        if (!matcher.matches()) {
            throw new Garbled("not a hexadecimal number: " + quoted(line));
        }
        return Integer.parseUnsignedInt(matcher.group(1), 16);
    }

    /** Vendor and device id of a PCI function: 4 hex digits. */
    static String pciId(String line) throws Garbled {
        int id = hex(line);
        if (id < 0 || id > 0xffff) {
            throw new Garbled("not a PCI id: " + quoted(line));
        }
        return String.format(Locale.ROOT, "%04x", id);
    }

    /** PCI class and subclass: 4 hex digits of the kernel's 6. */
    static String pciClass(String line) throws Garbled {
        int code = hex(line);
        if (code < 0 || code > 0xff_ffff) {
            throw new Garbled("not a PCI class: " + quoted(line));
        }
        return String.format(Locale.ROOT, "%04x", code >> 8);
    }

    static int decimal(String line) throws Garbled {
        try {
            return Integer.parseInt(line);
        } catch (NumberFormatException e) {
            throw new Garbled("not a number: " + quoted(line));
        }
    }

    /** A NUMA node; null for -1. */
    static @Nullable Integer numaNode(String line) throws Garbled {
        int node = decimal(line);
        if (node < -1 || node > 0xffff) {
            throw new Garbled("not a NUMA node: " + quoted(line));
        }
        return node == -1 ? null : node;
    }

    /** {@code "4: ACTIVE"}. ACTIVE_DEFER still carries traffic. */
    static PortState portState(String line) throws Garbled {
        int state = numbered(line, STATES);
        return switch (state) {
            case 1 -> PortState.Down;
            case 2 -> PortState.Init;
            case 3 -> PortState.Armed;
            case 4, 5 -> PortState.Active;
            default -> PortState.Unknown;
        };
    }

    /** {@code "5: LinkUp"} without its number; null where the driver does not know. */
    static @Nullable String physicalState(String line) throws Garbled {
        if (line.endsWith("<unknown>")) {
            return null;
        }
        return PHYSICAL_STATES.get(numbered(line, PHYSICAL_STATES));
    }

    private static int numbered(String line, Map<Integer, String> names) throws Garbled {
        Matcher matcher = STATE.matcher(line);
        if (!matcher.matches() || matcher.group(1).length() > 3) {
            throw new Garbled("not a state: " + quoted(line));
        }
        int number = Integer.parseInt(matcher.group(1));
        String name = names.get(number);
        String printed = matcher.group(2);
        if (printed != null && name != null && !printed.equals(name)) {
            throw new Garbled("state " + number + " is " + name + ", not " + quoted(printed));
        }
        return number;
    }

    /** {@code "56 Gb/sec (4X FDR)"}, {@code "2.5 Gb/sec (1X)"}; null for a rate of zero, {@code "0 GB/sec"} too. */
    static @Nullable Rate rate(String line) throws Garbled {
        if (ZERO_RATE.matcher(line).matches()) {
            return null;
        }
        Matcher matcher = RATE.matcher(line);
        if (!matcher.matches()) {
            throw new Garbled("not a rate: " + quoted(line));
        }
        long tenths = Long.parseLong(matcher.group(1)) * 10;
        if (matcher.group(2) != null) {
            tenths += matcher.group(2).charAt(1) - '0';
        }
        int width = Integer.parseInt(matcher.group(3));
        return tenths == 0 || width == 0 ? null : new Rate(tenths * 100_000_000L, width);
    }

    /** Speed of a network interface, which the kernel prints in Mb/s, in bits per second; null for "unknown" (-1). */
    static @Nullable Long interfaceSpeed(String line) throws Garbled {
        long megabits;
        try {
            megabits = Long.parseLong(line);
        } catch (NumberFormatException e) {
            throw new Garbled("not a speed: " + quoted(line));
        }
        // Old drivers print SPEED_UNKNOWN as an unsigned number of 32 or 16 bit.
        if (megabits <= 0 || megabits == 0xffff_ffffL || megabits == 0xffff) {
            return null;
        }
        if (megabits > 100_000_000) {
            throw new Garbled("not a speed: " + quoted(line));
        }
        return megabits * 1_000_000;
    }

    static long mtu(String line) throws Garbled {
        int mtu = decimal(line);
        if (mtu < 0 || mtu > 1 << 30) {
            throw new Garbled("not an MTU: " + quoted(line));
        }
        return mtu;
    }

    /** A list such as {@code 0-7,16-23}, of CPUs or NUMA nodes. */
    static BitSet numberList(String line) throws Garbled {
        BitSet set = new BitSet();
        for (String part : line.split(",")) {
            Matcher matcher = CPU_RANGE.matcher(part.strip());
            if (!matcher.matches()) {
                throw new Garbled("not a list of numbers: " + quoted(line));
            }
            int first = Integer.parseInt(matcher.group(1));
            int last = matcher.group(2) == null ? first : Integer.parseInt(matcher.group(2));
            if (last < first || last >= MAXIMUM_CPUS) {
                throw new Garbled("not a list of numbers: " + quoted(line));
            }
            set.set(first, last + 1);
        }
        return set;
    }

    /** A value as it may stand in a message: short, in quotes. */
    static String quoted(String value) {
        return '"' + (value.length() <= 40 ? value : value.substring(0, 40) + "...") + '"';
    }

    /** A GUID without its colons, as the contract writes it. */
    static @Nullable String withoutColons(@Nullable String guid) {
        return guid == null ? null : guid.replace(":", "");
    }
}
