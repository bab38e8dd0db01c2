/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.fabric;

import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAPackage;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideOutsideOfPackage;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;

import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.junit.AnalyzeClasses;
import com.tngtech.archunit.junit.ArchTest;
import com.tngtech.archunit.lang.ArchRule;
import com.tngtech.archunit.library.dependencies.SlicesRuleDefinition;

@AnalyzeClasses(packages = "dev.fabricoperator.fabric", importOptions = ImportOption.DoNotIncludeTests.class)
class ArchitectureTest {
    private static final String DISCOVERY = "dev.fabricoperator.fabric.discovery..";
    private static final String CABLING = "dev.fabricoperator.fabric.cabling..";
    private static final String TOPOLOGY = "dev.fabricoperator.fabric.topology..";
    private static final String CLASSIFY = "dev.fabricoperator.fabric.classify..";
    private static final String COORDINATE = "dev.fabricoperator.fabric.coordinate..";
    private static final String COST = "dev.fabricoperator.fabric.cost..";
    private static final String MODEL = "dev.fabricoperator.fabric.model..";

    @ArchTest
    static final ArchRule packagesFormNoCycle = SlicesRuleDefinition.slices()
            .matching("dev.fabricoperator.fabric.(*)..")
            .should()
            .beFreeOfCycles();

    @ArchTest
    static final ArchRule graphsKnowNothingOfFabrics = noClasses()
            .that()
            .resideInAPackage("dev.fabricoperator.fabric.graph..")
            .should()
            .dependOnClassesThat(resideInAPackage("dev.fabricoperator.fabric..")
                    .and(resideOutsideOfPackage("dev.fabricoperator.fabric.graph..")));

    @ArchTest
    static final ArchRule sourcesOnlyTranslate = noClasses()
            .that()
            .resideInAPackage(CABLING)
            .should()
            .dependOnClassesThat()
            .resideInAnyPackage(DISCOVERY, TOPOLOGY, CLASSIFY, COORDINATE, COST, MODEL);

    @ArchTest
    static final ArchRule discoveryKnowsDevicesOnly = noClasses()
            .that()
            .resideInAPackage(DISCOVERY)
            .should()
            .dependOnClassesThat()
            .resideInAnyPackage(CABLING, TOPOLOGY, CLASSIFY, COORDINATE, COST, MODEL);

    @ArchTest
    static final ArchRule classifyingNeedsTheWiringOnly = noClasses()
            .that()
            .resideInAPackage(CLASSIFY)
            .should()
            .dependOnClassesThat()
            .resideInAnyPackage(COORDINATE, COST, MODEL);

    @ArchTest
    static final ArchRule costDoesNotCareWhatKindOfFabricItIs = noClasses()
            .that()
            .resideInAPackage(COST)
            .should()
            .dependOnClassesThat()
            .resideInAnyPackage(CLASSIFY, COORDINATE, MODEL);

    @ArchTest
    static final ArchRule onlyTheHostTreeTouchesFiles = noClasses()
            .that()
            .doNotHaveSimpleName("PathHostTree")
            .should()
            .dependOnClassesThat()
            .haveFullyQualifiedName("java.nio.file.Files")
            .orShould()
            .dependOnClassesThat()
            .resideInAnyPackage("java.net..", "javax.net..");
}
