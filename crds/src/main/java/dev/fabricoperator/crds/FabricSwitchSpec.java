/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.crds;

import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonPropertyDescription;
import io.fabric8.generator.annotation.Pattern;
import io.fabric8.generator.annotation.Required;
import io.fabric8.generator.annotation.Size;
import io.fabric8.generator.annotation.ValidationRule;
import io.soabase.recordbuilder.core.RecordBuilder;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** One switch and its cables. */
@RecordBuilder
@JsonInclude(JsonInclude.Include.NON_EMPTY)
@JsonIgnoreProperties(ignoreUnknown = true)
@ValidationRule(value = "self.id == oldSelf.id", message = "id is immutable", fieldPath = ".id")
public record FabricSwitchSpec(
        @Required
        @Size(min = 1, max = 253)
        @Pattern("^[^A-Z\\s]+$")
        @JsonPropertyDescription("Node GUID, else lower-case MAC or chassis id, else a name")
        String id,

        @Size(max = 253) @Pattern(NAME) @JsonPropertyDescription("Name that people gave it") @Nullable
        String name,

        @Size(max = 128) @JsonPropertyDescription("Vendor as the source names it") @Nullable
        String vendor,

        @Size(max = 128) @JsonPropertyDescription("Model as the source names it") @Nullable
        String model,

        @Size(max = 253)
        @JsonPropertyDescription("Id that all switches of one director have in common; absent for a box of its own")
        @Nullable
        String chassis,

        @Size(max = 63)
        @JsonPropertyDescription("The topology source that says so; absent where a person wrote it")
        @Nullable
        String source,

        @Size(max = 1024) @JsonPropertyDescription("Its ports, and what is at their far ends")
        List<SwitchPortSpec> ports) {

    /** No control characters, nor those that turn the direction: a name is shown, and would move a terminal's cursor or forge a line. */
    static final String NAME = "^[^\\x00-\\x1f\\x7f-\\x9f\\x{200e}\\x{200f}\\x{202a}-\\x{202e}\\x{2066}-\\x{2069}]*$";

    public FabricSwitchSpec {
        ports = ports == null ? List.of() : List.copyOf(ports);
    }
}
