/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.crds;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;

import com.tngtech.archunit.base.DescribedPredicate;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.junit.AnalyzeClasses;
import com.tngtech.archunit.junit.ArchTest;
import com.tngtech.archunit.lang.ArchRule;

@AnalyzeClasses(packages = "dev.fabricoperator.crds", importOptions = ImportOption.DoNotIncludeTests.class)
class ArchitectureTest {
    @ArchTest
    static final ArchRule onlyMappingKnowsTheDomainBeyondItsEnums = noClasses()
            .that()
            .resideInAPackage("dev.fabricoperator.crds")
            .should()
            .dependOnClassesThat(JavaClass.Predicates.resideInAnyPackage(
                            "dev.fabricoperator.fabric.cabling..",
                            "dev.fabricoperator.fabric.topology..",
                            "dev.fabricoperator.fabric.classify..",
                            "dev.fabricoperator.fabric.coordinate..",
                            "dev.fabricoperator.fabric.cost..",
                            "dev.fabricoperator.fabric.model..",
                            "dev.fabricoperator.fabric.discovery..")
                    .and(DescribedPredicate.not(JavaClass.Predicates.ENUMS)));
}
