/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.crds.mapping;

import dev.fabricoperator.crds.FabricDevice;
import dev.fabricoperator.crds.FabricDeviceStatus;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** A FabricDevice object, or what a program keeps of one: as much as its place in a fabric depends on. */
public interface FabricMember {
    /** Of the object. */
    String name();

    /** RFC 3339; settles who of two claimants was first. */
    String createdAt();

    String nodeName();

    String hostname();

    String osName();

    int port();

    /** How a cable names the device: its node GUID, else {@code host/osName}. */
    String endId();

    /** As it stands in the object, {@code null} before the first write. */
    @Nullable
    FabricDeviceStatus status();

    /** A whole object as a member. */
    static FabricMember of(FabricDevice device) {
        return new WholeDevice(device);
    }

    /** How cables name the device of an object. */
    static String endId(@Nullable String nodeGuid, String hostname, String osName) {
        return nodeGuid != null ? nodeGuid : hostname + "/" + osName;
    }

    /** @param object with the little that nothing else than the object itself says */
    record WholeDevice(FabricDevice object) implements FabricMember {
        @Override
        public String name() {
            return object.getMetadata().getName();
        }

        @Override
        public String createdAt() {
            return Objects.requireNonNullElse(object.getMetadata().getCreationTimestamp(), "");
        }

        @Override
        public String nodeName() {
            return Objects.requireNonNullElse(object.getSpec().nodeName(), "");
        }

        @Override
        public String hostname() {
            String hostname = object.getSpec().hostname();
            return hostname == null ? nodeName() : hostname;
        }

        @Override
        public String osName() {
            return object.getSpec().osName();
        }

        @Override
        public int port() {
            return object.getSpec().port();
        }

        @Override
        public String endId() {
            return FabricMember.endId(object.getSpec().nodeGuid(), hostname(), osName());
        }

        @Override
        public @Nullable FabricDeviceStatus status() {
            return object.getStatus();
        }
    }
}
