/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.e2e.bench.agent;

import dev.fabricoperator.crds.FabricApi;
import dev.fabricoperator.crds.FabricDevice;
import dev.fabricoperator.crds.ServerSideApply;
import dev.fabricoperator.fabric.device.Device;
import dev.fabricoperator.fabric.discovery.HostDiscovery;
import dev.fabricoperator.fabric.discovery.PathHostTree;
import dev.fabricoperator.view.mapping.DeviceMapper;
import dev.fabricoperator.view.mapping.ObjectNames;
import io.fabric8.kubernetes.api.model.ObjectMetaBuilder;
import io.fabric8.kubernetes.client.Config;
import io.fabric8.kubernetes.client.ConfigBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientBuilder;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * What the agent would be on fabric8's client with the JDK's HTTP client: one look at the host, a list of what is there,
 * an apply for each device; then idle. It is measured, not used.
 */
final class Fabric8Agent {
    private Fabric8Agent() {}

    /** @param arguments host root, node name, API server, token file, CA file */
    public static void main(String[] arguments) throws Exception {
        Config config = new ConfigBuilder(Config.empty())
                .withMasterUrl(arguments[2])
                .withOauthToken(Files.readString(Path.of(arguments[3])).strip())
                .withCaCertFile(arguments[4])
                .build();
        try (KubernetesClient client =
                new KubernetesClientBuilder().withConfig(config).build()) {
            client.nodes().withName(arguments[1]).get();
            client.resources(FabricDevice.class).list();
            for (Device device : HostDiscovery.discover(PathHostTree.of(Path.of(arguments[0])))
                    .devices()) {
                FabricDevice object = new FabricDevice();
                object.setMetadata(new ObjectMetaBuilder()
                        .withName(ObjectNames.device(arguments[1], device.osName(), device.port()))
                        .build());
                object.setSpec(DeviceMapper.toSpec(arguments[1], device, error -> null));
                client.resource(object).patch(ServerSideApply.by(FabricApi.AGENT_FIELD_MANAGER), object);
            }
            System.out.println("ready");
            Thread.sleep(Long.MAX_VALUE);
        }
    }
}
