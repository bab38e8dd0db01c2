/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.operator.server.jobs.placement;

import dev.fabricoperator.operator.cluster.SwitchFacts;
import dev.fabricoperator.operator.server.served.JobTraffic;
import dev.fabricoperator.operator.server.served.ServedDevice;
import dev.fabricoperator.operator.server.served.ServedFabric;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** What this server knows of devices and fabrics. */
public interface KnownFabrics {
    /** The devices that the agent of a node has published, in the order of their names. O(devices of the node): it is asked for each node of each job, with every generation. */
    List<ServedDevice> devicesOf(String node);

    /** The generation of a Fabric that is served, {@code null} for none. */
    @Nullable
    ServedFabric fabric(String name);

    /** The fabric of accelerators that NVLink joins, {@code null} where none is served. O(Fabrics). */
    default @Nullable ServedFabric nvlink() {
        return null;
    }

    /** FabricSwitches of which some port's link may be about to fail. O(switches). */
    List<SwitchFacts> impairedSwitches();

    /** Which devices libraries are told of. O(Fabrics). */
    JobTraffic jobTraffic();

    /** Names of the Fabrics whose hosts are prepared for each pod before its ranks start. */
    Set<String> withPreparedHosts();

    /** Whether another generation of it is on its way. */
    boolean isPending(String name);
}
