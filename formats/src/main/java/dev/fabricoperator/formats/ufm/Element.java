/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.formats.ufm;

import dev.fabricoperator.fabric.cabling.HeapBudget;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** The fields of one JSON object that this project knows; made once and used for one object after the other. */
final class Element {
    /** By the names that UFM gives them. */
    enum Field {
        source_guid,
        source_port,
        source_port_dname,
        source_port_name,
        source_port_node_description,
        destination_guid,
        destination_port,
        destination_port_dname,
        destination_port_name,
        destination_port_node_description,
        width,
        name,
        guid,
        number,
        systemID,
        system_guid,
        system_name,
        type,
        vendor,
        model,
        description,
        dname,
        path,
        node_description,
        active_speed,
        active_width,
        logical_state,
        lid,
        peer,
        peer_node_guid,
        peer_node_description,
        peer_port_dname;

        private static final Map<String, Field> BY_NAME = new HashMap<>();

        static {
            for (Field field : values()) {
                BY_NAME.put(field.name(), field);
            }
        }

        static @Nullable Field of(String name) {
            return BY_NAME.get(name);
        }
    }

    private static final Set<Field> TEXTS = EnumSet.of(
            Field.source_port_dname,
            Field.source_port_node_description,
            Field.destination_port_dname,
            Field.destination_port_node_description,
            Field.system_name,
            Field.vendor,
            Field.model,
            Field.description,
            Field.dname,
            Field.node_description,
            Field.peer_node_description,
            Field.peer_port_dname);

    private static final int FIELDS = Field.values().length;

    /** Names and descriptions that are longer are none. */
    private static final int MAX_TEXT = 253;

    private final @Nullable String[] values = new String[FIELDS];
    private final boolean[] present = new boolean[FIELDS];
    private int count;
    int line;

    void clear(int atLine) {
        Arrays.fill(values, null);
        Arrays.fill(present, false);
        count = 0;
        line = atLine;
    }

    /** @param value {@code null} for JSON's null */
    void put(Field field, @Nullable String value) {
        // One that is much too long is none, and not kept until the element's end.
        values[field.ordinal()] = value == null || value.length() > 4 * MAX_TEXT ? null : value;
        present[field.ordinal()] = true;
        count++;
    }

    boolean isEmpty() {
        return count == 0;
    }

    /** Whether the object has the field, of whatever value. */
    boolean has(Field field) {
        return present[field.ordinal()];
    }

    /** Bytes of the texts that are kept as they are; what all others say is a number or a word. */
    long textBytes() {
        long bytes = 0;
        for (Field field : TEXTS) {
            bytes += HeapBudget.ofText(text(field));
        }
        return bytes;
    }

    /** The value without blanks around it; {@code null} also for what UFM writes in place of a value. */
    @Nullable
    String text(Field field) {
        String value = values[field.ordinal()];
        if (value == null) {
            return null;
        }
        String text = value.strip();
        boolean unknown = text.isEmpty()
                || text.length() > MAX_TEXT
                || text.equalsIgnoreCase("N/A")
                || text.equals("NA")
                || text.equalsIgnoreCase("None")
                || text.equalsIgnoreCase("null");
        return unknown ? null : text;
    }
}
