/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.crds;

import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonPropertyDescription;
import io.fabric8.generator.annotation.Required;
import io.fabric8.generator.annotation.Size;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Something about the fabric that an administrator should look at. */
@JsonInclude(JsonInclude.Include.NON_EMPTY)
@JsonIgnoreProperties(ignoreUnknown = true)
public record FindingStatus(
        @Required @Size(min = 1, max = 63) @JsonPropertyDescription("Kind of finding, for example PortDown")
        String type,

        @Size(max = MAX_OBJECT)
        @JsonPropertyDescription("What it is about: a device, a switch, a port, or a list of hosts")
        @Nullable
        String object,

        @Required @Size(max = MAX_MESSAGE) @JsonPropertyDescription("What was found, in a sentence")
        String message,

        @Size(max = MAX_SWITCHES)
        @JsonPropertyDescription("Ids of the switches to walk to, those of a link one behind the other")
        List<@Size(max = MAX_NAME) String> switches,

        @Size(max = MAX_SWITCHES) @JsonPropertyDescription("What people call these switches")
        List<@Size(max = MAX_NAME) String> names,

        @Size(max = MAX_SWITCHES)
        @JsonPropertyDescription("Ports of these switches; 0 for the whole switch, and where nobody knows")
        List<Integer> ports,

        @Size(max = MAX_MESSAGE)
        @JsonPropertyDescription("Hosts that it concerns, as a host list; of very many the first")
        @Nullable
        String hosts) {

    private static final int MAX_OBJECT = 320;
    private static final int MAX_MESSAGE = 512;
    private static final int MAX_NAME = 253;
    private static final int MAX_SWITCHES = 8;

    public FindingStatus {
        switches = switches == null ? List.of() : List.copyOf(switches);
        names = names == null ? List.of() : List.copyOf(names);
        ports = ports == null ? List.of() : List.copyOf(ports);
    }

    /** As it comes back from the API server: texts are cut to what a status takes, an empty object is none. */
    public static FindingStatus of(String type, @Nullable String object, String message) {
        return new FindingStatus(
                type,
                object == null || object.isEmpty() ? null : cut(object, MAX_OBJECT),
                cut(message, MAX_MESSAGE),
                List.of(),
                List.of(),
                List.of(),
                null);
    }

    /**
     * As {@link #of}.
     *
     * @param hosts a host list
     */
    public FindingStatus at(List<String> switches, List<String> names, List<Integer> ports, String hosts) {
        return new FindingStatus(
                type,
                object,
                message,
                switches.stream()
                        .limit(MAX_SWITCHES)
                        .map(id -> cut(id, MAX_NAME))
                        .toList(),
                names.stream()
                        .limit(MAX_SWITCHES)
                        .map(name -> cut(name, MAX_NAME))
                        .toList(),
                ports.stream().limit(MAX_SWITCHES).toList(),
                hosts.isEmpty() ? null : hosts);
    }

    /** Whether a list of hosts is so long that only its first can be said. */
    public static boolean isTooLong(String hosts) {
        return bytes(hosts) > MAX_MESSAGE;
    }

    /**
     * Ids may be so long that two of them are more than a status takes. What is bounded are bytes, of which etcd takes a number: letters of most scripts
     * have two or three. Half a character would come back as another one, and be written anew each time.
     */
    private static String cut(String text, int length) {
        int end = 0;
        for (int bytes = 0; end < text.length(); end += Character.charCount(text.codePointAt(end))) {
            bytes += bytes(text.codePointAt(end));
            if (bytes > length) {
                return text.substring(0, end);
            }
        }
        return text;
    }

    private static int bytes(String text) {
        return text.codePoints().map(FindingStatus::bytes).sum();
    }

    /** Of UTF-8. */
    private static int bytes(int c) {
        return c < 0x80 ? 1 : c < 0x800 ? 2 : c < 0x10000 ? 3 : 4;
    }
}
