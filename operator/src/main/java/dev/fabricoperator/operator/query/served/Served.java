/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.operator.query.served;

import dev.fabricoperator.crds.FabricChange;
import dev.fabricoperator.crds.mapping.AssembledFabric;
import dev.fabricoperator.crds.mapping.FabricMapper;
import dev.fabricoperator.fabric.cost.CostMatrix;
import dev.fabricoperator.fabric.model.FabricModel;
import dev.fabricoperator.fabric.query.FabricQuery;
import dev.fabricoperator.operator.inventory.FabricFacts;
import java.util.List;

/**
 * One generation of a Fabric, all of it.
 *
 * @param facts the Fabric object whose status says this generation
 * @param parts what the model was made of
 * @param changes of this generation and those before, ascending, as many as are kept
 */
public record Served(
        FabricFacts facts,
        long generation,
        AssembledFabric parts,
        FabricModel model,
        FabricQuery query,
        Directory directory,
        List<FabricChange> changes) {

    public String name() {
        return facts.name();
    }

    public CostMatrix cost() {
        return model.cost();
    }

    /** Turns the model's places into statuses. */
    public FabricMapper mapper() {
        return new FabricMapper(facts.name(), model, facts.spec().planes());
    }

    /** The id that the model gave to a plane, for the name that a person gave to it. */
    public String planeId(String name) {
        int number = facts.spec().planes().indexOf(name);
        return number < 0 ? name : Integer.toString(number);
    }

    /** The name that a person gave to a plane, or its id. */
    public String planeName(String id) {
        List<String> names = facts.spec().planes();
        for (int i = 0; i < names.size(); i++) {
            if (id.equals(Integer.toString(i))) {
                return names.get(i);
            }
        }
        return id;
    }
}
