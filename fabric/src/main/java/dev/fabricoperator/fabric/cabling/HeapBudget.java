/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.fabric.cabling;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Bytes of the heap that what one source says may take: a third of all that this process may have, so that its text, what is
 * made of it and what was there before fit beside one another. Bounds on counts do not bound that: a million ports may have
 * long names.
 *
 * <p>Sizes are estimates from above for a 64-bit JVM: of the objects that are kept for a port from its reading to the model.
 */
public final class HeapBudget {
    /** What is kept of a port, of its node's record, or of one neighbour on it, without texts. */
    public static final int BYTES_OF_PORT = 320;

    /** The same of a cable of a dump, which says little of it. */
    public static final int BYTES_OF_CABLE = 200;

    public static final int BYTES_OF_NODE = 512;

    private static final int PART = 3;
    private static final int BYTES_OF_STRING = 40;
    private static final int LAST_OF_LATIN_1 = 0xff;
    private static final int MEBIBYTE = 1 << 20;

    private final String file;
    private final long allowed;
    private long spent;

    /**
     * The budget of one text.
     *
     * @param file what to call the text in messages
     */
    public HeapBudget(String file) {
        this.file = file;
        allowed = ofProcess();
    }

    /** Bytes that one source may take in this process, and all of them together. */
    public static long ofProcess() {
        return Runtime.getRuntime().maxMemory() / PART;
    }

    /** What a text takes; 0 for none. */
    public static long ofText(@Nullable String text) {
        if (text == null) {
            return 0;
        }
        // One character beyond Latin 1 gives all of them two bytes.
        boolean wide = false;
        for (int i = 0; i < text.length() && !wide; i++) {
            wide = text.charAt(i) > LAST_OF_LATIN_1;
        }
        return BYTES_OF_STRING + (wide ? 2L : 1L) * text.length();
    }

    /** What switches take that are kept. */
    public static long of(List<Switch> switches) {
        long bytes = 0;
        for (Switch node : switches) {
            bytes += BYTES_OF_NODE + ofText(node.name()) + ofText(node.chassis());
            for (SwitchPort port : node.ports()) {
                bytes += BYTES_OF_PORT / 2 + ofText(port.peerHost()) + ofText(port.peerOsName());
            }
        }
        return bytes;
    }

    /**
     * Takes bytes.
     *
     * @param line where the text says what takes them
     * @throws BadInputException if that is more than is left
     */
    public void spend(int line, long bytes) throws BadInputException {
        spent += bytes;
        if (spent > allowed) {
            throw new BadInputException(file, line, "what is said up to here takes more than " + words());
        }
    }

    /** What is allowed, and how more would be. */
    public static String words() {
        return ofProcess() / MEBIBYTE + " MiB of memory, a third of this process's heap: give it more memory where the"
                + " fabric is so large";
    }
}
