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
import org.jspecify.annotations.Nullable;

/** Something about the fabric that an administrator should look at. */
@JsonInclude(JsonInclude.Include.NON_EMPTY)
@JsonIgnoreProperties(ignoreUnknown = true)
public record FindingStatus(
        @Required @Size(min = 1, max = 63) @JsonPropertyDescription("Kind of finding, for example PortDown")
        String type,

        @Size(max = MAX_OBJECT) @JsonPropertyDescription("What it is about: a device, a switch or a port") @Nullable
        String object,

        @Required @Size(max = MAX_MESSAGE) @JsonPropertyDescription("What was found, in a sentence")
        String message) {

    private static final int MAX_OBJECT = 320;
    private static final int MAX_MESSAGE = 512;

    /** As it comes back from the API server: texts are cut to what a status takes, an empty object is none. */
    public static FindingStatus of(String type, @Nullable String object, String message) {
        return new FindingStatus(
                type, object == null || object.isEmpty() ? null : cut(object, MAX_OBJECT), cut(message, MAX_MESSAGE));
    }

    /** Ids may be so long that two of them are more than a status takes. */
    private static String cut(String text, int length) {
        return text.length() <= length ? text : text.substring(0, length);
    }
}
