/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.formats.export;

import java.util.Locale;
import java.util.Map;

/**
 * By which names hosts are Slurm's nodes.
 *
 * @param form how a name is made of a host's
 * @param nodeOfHost what Kubernetes calls hosts, for {@link Form#NODE}; one that is missing keeps its name
 */
public record SlurmNodeNames(Form form, Map<String, String> nodeOfHost) {
    public static final SlurmNodeNames FULL = new SlurmNodeNames(Form.FULL, Map.of());

    /** How a name is made. */
    public enum Form {
        /** As the host calls itself, with its domain where it has one. */
        FULL,
        /** Without the domain, as slurmd does it where it is told nothing else. */
        SHORT,
        /** The name of its Kubernetes Node. */
        NODE;

        @Override
        public String toString() {
            return name().toLowerCase(Locale.ROOT);
        }
    }

    public SlurmNodeNames {
        nodeOfHost = Map.copyOf(nodeOfHost);
    }

    String of(String host) {
        int dot = host.indexOf('.');
        return switch (form) {
            case FULL -> host;
            case SHORT -> dot > 0 ? host.substring(0, dot) : host;
            case NODE -> nodeOfHost.getOrDefault(host, host);
        };
    }

    /** Without a walk over the hosts. */
    @Override
    public int hashCode() {
        return form.hashCode();
    }
}
