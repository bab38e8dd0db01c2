/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.e2e;

import static com.tngtech.archunit.core.domain.JavaCall.Predicates.target;
import static com.tngtech.archunit.core.domain.properties.HasName.Predicates.name;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;

import com.tngtech.archunit.junit.AnalyzeClasses;
import com.tngtech.archunit.junit.ArchTest;
import com.tngtech.archunit.lang.ArchRule;
import dev.fabricoperator.e2e.cluster.BlockingTasks;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;

@AnalyzeClasses(packages = "dev.fabricoperator.e2e")
class ArchitectureTest {
    // See BlockingTasks: a task that waits on the common pool, for an import of images say, stops every Kubernetes
    // client.
    @ArchTest
    static final ArchRule nothingOccupiesTheThreadThatCompletesHttpAnswers = noClasses()
            .should()
            .callMethod(CompletableFuture.class, "runAsync", Runnable.class)
            .orShould()
            .callMethod(CompletableFuture.class, "supplyAsync", Supplier.class)
            .orShould()
            .callMethodWhere(target(name("parallelStream")))
            .because(BlockingTasks.class.getSimpleName() + " has threads for it");
}
