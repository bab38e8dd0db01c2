/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.crds;

import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonPropertyDescription;
import io.fabric8.generator.annotation.Size;
import io.soabase.recordbuilder.core.RecordBuilder;
import java.util.List;

/**
 * What the hosts of a job on the fabric, and its processes, need before a rank starts.
 *
 * @see "PMIx Standard, chapter Server, PMIx_server_setup_application and PMIx_server_setup_local_support"
 */
@RecordBuilder
@JsonInclude(JsonInclude.Include.NON_EMPTY)
@JsonIgnoreProperties(ignoreUnknown = true)
public record HostPreparation(
        @Size(max = 64)
        @JsonPropertyDescription(
                "For the preparer on each node: what devices are given before ranks start. Where there is any, no rank of a direct launch starts before the condition fabric-operator.dev/HostPrepared of each of its job's pods is True")
        List<NamedValue> device,

        @Size(max = 64)
        @JsonPropertyDescription(
                "Environment variables of the ranks of direct launches; what a pod or its image sets stays")
        List<NamedValue> env) {

    public HostPreparation {
        device = device == null ? List.of() : List.copyOf(device);
        env = env == null ? List.of() : List.copyOf(env);
    }
}
