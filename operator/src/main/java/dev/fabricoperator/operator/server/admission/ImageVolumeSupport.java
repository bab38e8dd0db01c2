/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.operator.server.admission;

import java.util.Collection;
import java.util.Map;
import java.util.Objects;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Whether pods of a cluster can have the volume type {@code image}.
 *
 * @param sentence why not, or why they can
 */
public record ImageVolumeSupport(boolean usable, String sentence) {
    private static final Pattern VERSION = Pattern.compile("v?(\\d{1,6})\\.(\\d{1,6})(?:\\D.*)?");

    /** On by default from here on, in API servers and kubelets. */
    private static final Version KUBERNETES = new Version(1, 35);

    private static final Map<String, Version> RUNTIMES =
            Map.of("containerd", new Version(2, 1), "cri-o", new Version(1, 31));

    private record Version(int major, int minor) {
        static @Nullable Version of(String text) {
            Matcher matcher = VERSION.matcher(text);
            return matcher.matches()
                    ? new Version(Integer.parseInt(matcher.group(1)), Integer.parseInt(matcher.group(2)))
                    : null;
        }

        boolean reaches(Version other) {
            return major != other.major ? major > other.major : minor >= other.minor;
        }

        @Override
        public String toString() {
            return major + "." + minor;
        }
    }

    /**
     * What a node says of itself.
     *
     * @param kubelet for example {@code v1.36.3}
     * @param runtime for example {@code containerd://2.2.9}
     */
    public record NodeVersions(String name, String kubelet, String runtime) {
        @Nullable
        String lack() {
            String kubernetes = lackOfKubernetes("the kubelet of node " + name, kubelet);
            return kubernetes != null ? kubernetes : lackOfRuntime();
        }

        private @Nullable String lackOfRuntime() {
            int colon = runtime.indexOf("://");
            String program = colon < 0 ? runtime : runtime.substring(0, colon);
            Version needed = RUNTIMES.get(program);
            Version found = colon < 0 ? null : Version.of(runtime.substring(colon + 3));
            if (needed == null) {
                return "node " + name + " has the container runtime \"" + program
                        + "\", of which it is not known whether it has image volumes";
            }
            return found != null && found.reaches(needed)
                    ? null
                    : "node " + name + " has " + runtime + ", and image volumes need " + program + " " + needed;
        }
    }

    /** @param apiServer its version, for example {@code v1.36.3} */
    static ImageVolumeSupport of(String apiServer, Collection<NodeVersions> nodes) {
        String lack = lackOfKubernetes("the API server", apiServer);
        if (lack == null) {
            // The same one is named as long as it is there.
            lack = nodes.stream()
                    .map(NodeVersions::lack)
                    .filter(Objects::nonNull)
                    .sorted()
                    .findFirst()
                    .orElse(null);
        }
        return lack == null
                ? new ImageVolumeSupport(true, "the API server and all nodes have image volumes")
                : new ImageVolumeSupport(false, lack);
    }

    private static @Nullable String lackOfKubernetes(String who, String version) {
        Version found = Version.of(version);
        return found != null && found.reaches(KUBERNETES)
                ? null
                : who + " has version " + version + ", and image volumes need Kubernetes " + KUBERNETES;
    }
}
