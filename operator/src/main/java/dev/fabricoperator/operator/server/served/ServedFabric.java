/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.operator.server.served;

import dev.fabricoperator.crds.FabricChange;
import dev.fabricoperator.fabric.cabling.Switch;
import dev.fabricoperator.fabric.cost.CostMatrix;
import dev.fabricoperator.fabric.model.FabricModel;
import dev.fabricoperator.fabric.query.FabricQuery;
import dev.fabricoperator.operator.cluster.FabricFacts;
import dev.fabricoperator.view.answer.DeviceIds;
import dev.fabricoperator.view.answer.FabricView;
import dev.fabricoperator.view.answer.NamedDevice;
import dev.fabricoperator.view.mapping.AssembledFabric;
import dev.fabricoperator.view.mapping.FabricMapper;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * One generation of a Fabric, all of it.
 *
 * @param facts the Fabric object whose status says this generation
 * @param parts what the model was made of
 * @param changes of this generation and those before, ascending, as many as are kept
 */
public record ServedFabric(
        FabricFacts facts,
        long generation,
        AssembledFabric parts,
        FabricModel model,
        FabricQuery query,
        DeviceDirectory directory,
        List<FabricChange> changes)
        implements FabricView {

    @Override
    public String name() {
        return facts.name();
    }

    /** Whether it is of accelerators that NVLink joins, and no network between all hosts. */
    public boolean isNvlink() {
        return model().topology().isOfCliques();
    }

    public CostMatrix cost() {
        return model.cost();
    }

    /** Turns the model's places into statuses. */
    public FabricMapper mapper() {
        return new FabricMapper(facts.name(), model, facts.spec().planes());
    }

    @Override
    public int index() {
        Integer index = facts.status() == null ? null : facts.status().index();
        return Objects.requireNonNullElse(index, 0);
    }

    @Override
    public @Nullable NamedDevice device(int slot) {
        ServedDevice device = directory.at(slot);
        return device == null
                ? null
                : new NamedDevice(device.name(), device.costId(), device.nodeName(), device.hostname(), device.port());
    }

    @Override
    public @Nullable String switchName(String id) {
        return parts.switchName(id);
    }

    @Override
    public List<Switch> switches() {
        return parts.switches();
    }

    @Override
    public DeviceIds<Integer> ids() {
        return directory.ids();
    }

    @Override
    public List<String> planeNames() {
        return facts.spec().planes();
    }
}
