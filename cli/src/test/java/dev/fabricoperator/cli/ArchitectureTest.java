/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.cli;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;

import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.junit.AnalyzeClasses;
import com.tngtech.archunit.junit.ArchTest;
import com.tngtech.archunit.lang.ArchRule;

@AnalyzeClasses(packages = "dev.fabricoperator.cli", importOptions = ImportOption.DoNotIncludeTests.class)
class ArchitectureTest {
    @ArchTest
    static final ArchRule onlyUploadLoadsAKubernetesClient = noClasses()
            .that()
            .resideOutsideOfPackages("dev.fabricoperator.cli.upload", "dev.fabricoperator.cli.cluster")
            .should()
            .dependOnClassesThat()
            .resideInAnyPackage("io.fabric8.kubernetes..");

    @ArchTest
    static final ArchRule offlineCommandsDoNotUseTheResourceClasses = noClasses()
            .that()
            .resideOutsideOfPackage("dev.fabricoperator.cli.cluster")
            .should()
            .dependOnClassesThat()
            .haveFullyQualifiedName("dev.fabricoperator.crds.Fabric")
            .orShould()
            .dependOnClassesThat()
            .haveFullyQualifiedName("dev.fabricoperator.crds.FabricDevice")
            .orShould()
            .dependOnClassesThat()
            .haveFullyQualifiedName("dev.fabricoperator.crds.FabricJob")
            .orShould()
            .dependOnClassesThat()
            .haveFullyQualifiedName("dev.fabricoperator.crds.FabricSwitch");

    @ArchTest
    static final ArchRule offlineCommandsDoNotLoadDatabind = noClasses()
            .that()
            .resideOutsideOfPackages(
                    "dev.fabricoperator.cli.upload", "dev.fabricoperator.cli.objects", "dev.fabricoperator.cli.cluster")
            .should()
            .dependOnClassesThat()
            .resideInAnyPackage("com.fasterxml.jackson.databind..");
}
