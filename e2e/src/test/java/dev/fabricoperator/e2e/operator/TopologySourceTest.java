/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.e2e.operator;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fabricoperator.crds.ConditionStatus;
import dev.fabricoperator.crds.Fabric;

import dev.fabricoperator.crds.FabricSpecBuilder;
import dev.fabricoperator.crds.FabricSwitch;
import dev.fabricoperator.crds.ObjectRef;
import dev.fabricoperator.crds.SourceType;
import dev.fabricoperator.crds.TopologySource;
import dev.fabricoperator.crds.TopologySourceBuilder;
import dev.fabricoperator.e2e.cluster.ControlPlane;
import dev.fabricoperator.e2e.junit.WithControlPlane;
import dev.fabricoperator.fabric.classify.FabricKind;
import io.fabric8.kubernetes.api.model.ConfigMapBuilder;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/** Where the controller knows the cabling from. */
@WithControlPlane(own = true)
class TopologySourceTest extends OperatorCase {
    TopologySourceTest(ControlPlane cluster) {
        super(cluster);
    }

    @Test
    void aBadDumpKeepsTheLastGoodStateAndIsNamed() {
        String dump = SmallFabric.dump();
        admin.resource(SmallFabric.upload(dump.substring(0, dump.length() / 2))).update();
        eventually(() -> {
            assertThat(condition("TopologyKnown").status()).isEqualTo(ConditionStatus.Unknown);
            assertThat(condition("TopologyKnown").message()).contains("small.txt:");
        });
        assertThat(status().kind()).isEqualTo(FabricKind.FatTree);
        assertThat(status().links()).isEqualTo(10);
        admin.resource(SmallFabric.upload(dump)).update();
        eventually(() -> assertThat(condition("TopologyKnown").status()).isEqualTo(ConditionStatus.True));
    }

    @Test
    void aFabricMayNameAFileOrAPlainConfigMapInsteadOfAnUpload() throws IOException {
        Path file = Files.writeString(directory.resolve("net.txt"), SmallFabric.dump());
        name(TopologySourceBuilder.builder()
                .type(SourceType.ibnetdiscover)
                .url(file.toUri().toString().replaceFirst("^file:/+", "file:///"))
                .build());
        admin.configMaps().inNamespace(OperatorProcess.NAMESPACE).delete();
        eventually(() -> assertThat(sources()).hasSize(1).allMatch(source -> source.startsWith("file.")));
        assertThat(status().kind()).isEqualTo(FabricKind.FatTree);

        admin.resource(new ConfigMapBuilder()
                        .withNewMetadata()
                        .withName("by-hand")
                        .withNamespace(OperatorProcess.NAMESPACE)
                        .endMetadata()
                        .addToData("net.txt", SmallFabric.dump())
                        .build())
                .create();
        name(TopologySourceBuilder.builder()
                .type(SourceType.ibnetdiscover)
                .configMapRef(new ObjectRef("by-hand"))
                .build());
        eventually(() -> assertThat(sources()).containsExactly("by-hand"));
        assertThat(status().links()).isEqualTo(10);
        assertThat(condition("TopologyKnown").status()).isEqualTo(ConditionStatus.True);
    }

    @Test
    void aTableOfCablesIsASourceToo() {
        admin.configMaps().inNamespace(OperatorProcess.NAMESPACE).delete();
        StringBuilder table = new StringBuilder("from,fromPort,to,toPort,speedBitsPerSecond\n");
        for (int host = 1; host <= SmallFabric.HOSTS; host++) {
            table.append("switch:leaf,%d,%s,1,400000000000%n".formatted(host, SmallFabric.guid(host)));
        }
        admin.resource(new ConfigMapBuilder()
                        .withNewMetadata()
                        .withName("table")
                        .withNamespace(OperatorProcess.NAMESPACE)
                        .endMetadata()
                        .addToData("cables.csv", table.toString())
                        .build())
                .create();
        name(TopologySourceBuilder.builder()
                .type(SourceType.cables)
                .configMapRef(new ObjectRef("table"))
                .build());
        eventually(() -> {
            assertThat(sources()).containsExactly("table");
            assertThat(status().switches()).isEqualTo(1);
            assertThat(status().links()).isEqualTo(SmallFabric.HOSTS);
            assertThat(status().sources()).singleElement().satisfies(source -> {
                assertThat(source.type()).isEqualTo("cables");
                assertThat(source.state()).isEqualTo("SourceRead");
            });
        });
    }

    @Test
    void aFileOutsideTheTopologyDirectoryIsNotRead() {
        name(TopologySourceBuilder.builder()
                .type(SourceType.ibnetdiscover)
                .url("file:///etc/hostname")
                .build());
        eventually(() -> assertThat(condition("TopologyKnown").message())
                .contains("file:///etc/hostname", "must be below " + directory));
        assertThat(status().links()).isEqualTo(10);
    }

    /** The operator writes the status meanwhile, so that a first try may be too late. */
    private void name(TopologySource source) {
        eventually(() -> admin.resources(Fabric.class).withName(FABRIC).edit(fabric -> {
            fabric.setSpec(FabricSpecBuilder.builder(fabric.getSpec())
                    .sources(List.of(source))
                    .build());
            return fabric;
        }));
    }

    private Set<String> sources() {
        return admin.resources(FabricSwitch.class).list().getItems().stream()
                .map(s -> Objects.requireNonNull(s.getSpec().source()))
                .collect(Collectors.toSet());
    }
}
