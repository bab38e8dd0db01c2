/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.operator.server.admission;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.Collection;
import java.util.Map;
import java.util.Objects;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Whether pods of a cluster can have the volume type {@code image}.
 *
 * @param sentence why not, or why they can
 * @param lackOfUserNamespaces why pods with {@code hostUsers: false} cannot, {@code null} where they are as others
 */
public record ImageVolumeSupport(
        boolean usable, String sentence, @Nullable String lackOfUserNamespaces) {
    private static final Pattern VERSION = Pattern.compile("v?(\\d{1,6})\\.(\\d{1,6})(?:\\.(\\d{1,6}))?(?:\\D.*)?");

    /** On by default from here on, in API servers and kubelets. */
    private static final Version KUBERNETES = new Version(1, 35);

    private static final Map<String, Version> RUNTIMES =
            Map.of("containerd", new Version(2, 1), "cri-o", new Version(1, 31));

    /** First patch of each minor of containerd that mounts an image volume into a user namespace; those that are not named do. */
    private static final Map<Integer, Integer> CONTAINERD_2_PATCHES = Map.of(1, 7, 2, 2);

    /** Whatever pods ask for. */
    ImageVolumeSupport(boolean usable, String sentence) {
        this(usable, sentence, null);
    }

    /** For this pod. */
    ImageVolumeSupport of(JsonNode pod) {
        JsonNode hostUsers = pod.at("/spec/hostUsers");
        return usable && lackOfUserNamespaces != null && hostUsers.isBoolean() && !hostUsers.booleanValue()
                ? new ImageVolumeSupport(false, lackOfUserNamespaces)
                : this;
    }

    private record Version(int major, int minor, int patch) {
        Version(int major, int minor) {
            this(major, minor, 0);
        }

        static @Nullable Version of(String text) {
            Matcher matcher = VERSION.matcher(text);
            return matcher.matches()
                    ? new Version(
                            Integer.parseInt(matcher.group(1)),
                            Integer.parseInt(matcher.group(2)),
                            matcher.group(3) == null ? 0 : Integer.parseInt(matcher.group(3)))
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

        @Nullable
        String lackOfUserNamespaces() {
            Version found = runtime.startsWith("containerd://") ? Version.of(runtime.substring(13)) : null;
            Integer patch = found == null || found.major() != 2 ? null : CONTAINERD_2_PATCHES.get(found.minor());
            return found != null && patch != null && found.patch() < patch
                    ? "node " + name + " has " + runtime
                            + ", which mounts no image volume into a pod with hostUsers: false"
                            + " before containerd 2." + found.minor() + "." + patch
                    : null;
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
            lack = first(nodes.stream().map(NodeVersions::lack));
        }
        return lack == null
                ? new ImageVolumeSupport(
                        true,
                        "the API server and all nodes have image volumes",
                        first(nodes.stream().map(NodeVersions::lackOfUserNamespaces)))
                : new ImageVolumeSupport(false, lack);
    }

    private static @Nullable String first(Stream<@Nullable String> lacks) {
        return lacks.filter(Objects::nonNull).sorted().findFirst().orElse(null);
    }

    private static @Nullable String lackOfKubernetes(String who, String version) {
        Version found = Version.of(version);
        return found != null && found.reaches(KUBERNETES)
                ? null
                : who + " has version " + version + ", and image volumes need Kubernetes " + KUBERNETES;
    }
}
