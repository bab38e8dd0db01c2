/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.crds;

import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonPropertyDescription;
import io.fabric8.generator.annotation.Size;
import io.fabric8.generator.annotation.ValidationRule;
import io.soabase.recordbuilder.core.RecordBuilder;
import java.util.List;
import java.util.regex.Pattern;

/**
 * What the hosts of a job on the fabric, and its processes, need before a rank starts.
 *
 * @see "PMIx Standard, chapter Server, PMIx_server_setup_application and PMIx_server_setup_local_support"
 */
@ValidationRule(
        value = "!has(self.env) || !self.env.exists(v, v.name.matches('" + HostPreparation.REFUSED_NAMES + "'))",
        message = "env has a name by which a variable decides what a process runs or loads, or whom it talks to; see"
                + " docs/host-preparation.md",
        fieldPath = ".env")
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

    /**
     * Names that {@code env} must not have: a variable of such a name makes shells, interpreters and loaders run something, or moves
     * whom a process talks to. Every tenant's ranks get what stands there. In the syntax that RE2 and Java share.
     */
    static final String REFUSED_NAMES =
            "^(?i:LD_.*|DYLD_.*|BASH.*|ENV|PS4|IFS|SHELLOPTS|PROMPT_COMMAND|HOME|TMPDIR|CLASSPATH|GLIBC_TUNABLES|MALLOC_.*"
                    + "|PYTHON.*|PERL.*|RUBY.*|OPENSSL_.*|PMIX_.*|KUBERNETES_.*|NODE_OPTIONS|(_|JDK_)?JAVA_(TOOL_)?OPTIONS"
                    + "|LUA_INIT.*|R_(PROFILE|ENVIRON)(_USER)?|DOTNET_.*|GIT_.*|SSL_CERT_.*|HOSTALIASES|HSA_TOOLS_LIB"
                    + "|OMP_TOOL_LIBRARIES|(IBV|RDMAV)_DRIVERS|.*_MCA_MCA_BASE_.*_FILES?"
                    + "|.*PATH|.*_(PLUGIN|PRELOAD|AGENT|MODULES|MODULE_DIR|PROXY))$";

    private static final Pattern REFUSED = Pattern.compile(REFUSED_NAMES);

    /** Variables of ranks, without those whose names are refused: an object may be older than its schema's rule. */
    public List<NamedValue> acceptedEnv() {
        return env.stream().filter(each -> !isRefused(each)).toList();
    }

    /** Names that {@link #acceptedEnv} leaves out. */
    public List<String> refusedEnv() {
        return env.stream()
                .filter(HostPreparation::isRefused)
                .map(NamedValue::name)
                .toList();
    }

    private static boolean isRefused(NamedValue value) {
        return REFUSED.matcher(value.name()).matches();
    }

    public HostPreparation {
        device = device == null ? List.of() : List.copyOf(device);
        env = env == null ? List.of() : List.copyOf(env);
    }
}
