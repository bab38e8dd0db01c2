/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.formats.fuzz;

import dev.fabricoperator.fabric.cabling.Adapter;
import dev.fabricoperator.fabric.cabling.AdapterPort;
import dev.fabricoperator.fabric.cabling.BadInputException;
import dev.fabricoperator.fabric.cabling.Cabling;
import dev.fabricoperator.fabric.cabling.PortPeer;
import dev.fabricoperator.fabric.cabling.Switch;
import dev.fabricoperator.fabric.cabling.SwitchPort;
import dev.fabricoperator.formats.TopologyFormat;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStreamReader;
import java.lang.management.ManagementFactory;
import java.nio.charset.StandardCharsets;
import java.util.HashSet;
import java.util.Set;
import java.util.function.Supplier;

/** One text and one reader: what must hold whatever the text is. */
final class Attempt {
    static final String FILE = "some/file";

    /** What a reader may allocate for nothing, and for each byte of a text: fifty times what good dumps need. */
    private static final long BYTES = 4 << 20;

    private static final long BYTES_OF_BYTE = 2000;

    /** A host list is short and stands for 2^18 names; each becomes a device. */
    private static final long BYTES_OF_HOST_LISTS = 1L << 29;

    private static final com.sun.management.ThreadMXBean THREADS =
            (com.sun.management.ThreadMXBean) ManagementFactory.getThreadMXBean();

    private Attempt() {}

    /**
     * Reads the text.
     *
     * @return whether it could be read
     * @throws AssertionError if the reader ends in anything but a cabling that holds together or a complaint that names
     *     file and line, or allocates out of proportion
     */
    static boolean read(TopologyFormat format, byte[] text) {
        long before = THREADS.getCurrentThreadAllocatedBytes();
        boolean good = false;
        try {
            Cabling cabling =
                    format.read(FILE, new InputStreamReader(new ByteArrayInputStream(text), StandardCharsets.UTF_8));
            long allocated = THREADS.getCurrentThreadAllocatedBytes() - before;
            requireProportion(format, text, allocated);
            requireWhole(cabling);
            good = true;
        } catch (BadInputException e) {
            requireProportion(format, text, THREADS.getCurrentThreadAllocatedBytes() - before);
            requirePlace(e, text);
        } catch (IOException | RuntimeException | StackOverflowError | OutOfMemoryError e) {
            throw new AssertionError(format + " ends in " + e, e);
        }
        return good;
    }

    private static void requireProportion(TopologyFormat format, byte[] text, long allocated) {
        long most = BYTES + BYTES_OF_BYTE * text.length + (format == TopologyFormat.slurm ? BYTES_OF_HOST_LISTS : 0);
        require(allocated <= most, () -> format + " allocates " + allocated + " bytes for " + text.length);
    }

    static void requirePlace(BadInputException e, byte[] text) {
        String message = String.valueOf(e.getMessage());
        require(message.startsWith(FILE + ":" + e.line() + ": "), () -> "no place in: " + message);
        int lines = lines(text);
        require(e.line() >= 1 && e.line() <= lines, () -> "line " + e.line() + " of " + lines + ": " + message);
        require(message.length() < 1000, () -> "a message of " + message.length() + " characters");
        require(
                message.chars().noneMatch(c -> c < ' ' || c == 0x7f),
                () -> "a message that is not one line: " + message);
    }

    /** As Java and Jackson count: a carriage return ends one too. */
    private static int lines(byte[] text) {
        int lines = 1;
        for (int i = 0; i < text.length; i++) {
            boolean paired = text[i] == '\r' && i + 1 < text.length && text[i + 1] == '\n';
            lines += text[i] == '\n' || text[i] == '\r' && !paired ? 1 : 0;
        }
        return lines;
    }

    private static void requireWhole(Cabling cabling) {
        Set<String> known = new HashSet<>();
        String last = "";
        for (Switch node : cabling.switches()) {
            String before = last;
            require(node.id().compareTo(before) > 0, () -> "switches out of order: " + before + ", " + node.id());
            last = node.id();
            known.add(node.id());
        }
        last = "";
        for (Adapter node : cabling.adapters()) {
            String before = last;
            require(node.id().compareTo(before) > 0, () -> "adapters out of order: " + before + ", " + node.id());
            last = node.id();
            require(known.add(node.id()), () -> "both switch and adapter: " + node.id());
        }
        for (Switch node : cabling.switches()) {
            // Some switches count from 0, as those with SONiC do.
            int number = -1;
            for (SwitchPort port : node.ports()) {
                require(port.number() > number, () -> "ports of " + node.id() + " out of order: " + port.number());
                number = port.number();
                requirePeer(known, port.peer());
            }
        }
        for (Adapter node : cabling.adapters()) {
            int number = -1;
            for (AdapterPort port : node.ports()) {
                require(port.number() > number, () -> "ports of " + node.id() + " out of order: " + port.number());
                number = port.number();
                requirePeer(known, port.peer());
            }
        }
    }

    private static void requirePeer(Set<String> known, @org.jspecify.annotations.Nullable PortPeer peer) {
        require(peer == null || known.contains(peer.id()), () -> "a cable to what is not there: " + peer);
    }

    /** @param otherwise made only when it is needed: it takes longer than to read a port */
    private static void require(boolean holds, Supplier<String> otherwise) {
        if (!holds) {
            throw new AssertionError(otherwise.get());
        }
    }
}
