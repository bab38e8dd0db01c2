/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.operator;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;

import com.tngtech.archunit.base.DescribedPredicate;
import com.tngtech.archunit.core.domain.JavaCall;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.junit.AnalyzeClasses;
import com.tngtech.archunit.junit.ArchTest;
import com.tngtech.archunit.lang.ArchRule;
import com.tngtech.archunit.library.dependencies.SliceAssignment;
import com.tngtech.archunit.library.dependencies.SliceIdentifier;
import dev.fabricoperator.crds.SteadyClock;
import io.fabric8.kubernetes.client.dsl.Informable;
import java.time.Clock;
import java.time.Instant;
import java.util.Set;
import java.util.regex.Pattern;

/**
 * The operator by role:
 *
 * <pre>
 *   launch, cluster, model  &lt;-  controller | server
 * </pre>
 */
@AnalyzeClasses(packages = "dev.fabricoperator.operator", importOptions = ImportOption.DoNotIncludeTests.class)
class ArchitectureTest {
    private static final String ROOT = "dev.fabricoperator.operator.";

    @ArchTest
    static final ArchRule whatBothRolesUseKnowsNeither = noClasses()
            .that()
            .resideInAnyPackage(ROOT + "launch..", ROOT + "cluster..", ROOT + "model..")
            .should()
            .dependOnClassesThat()
            .resideInAnyPackage(ROOT + "controller..", ROOT + "server..");

    @ArchTest
    static final ArchRule theControllerDoesNotKnowTheServer = noClasses()
            .that()
            .resideInAPackage(ROOT + "controller..")
            .should()
            .dependOnClassesThat()
            .resideInAPackage(ROOT + "server..");

    @ArchTest
    static final ArchRule theServerDoesNotKnowTheController = noClasses()
            .that()
            .resideInAPackage(ROOT + "server..")
            .should()
            .dependOnClassesThat()
            .resideInAPackage(ROOT + "controller..");

    @ArchTest
    static final ArchRule factsDoNotKnowWhatIsMadeOfThem = noClasses()
            .that()
            .resideInAPackage(ROOT + "cluster..")
            .should()
            .dependOnClassesThat()
            .resideInAPackage(ROOT + "model");

    @ArchTest
    static final ArchRule conditionsAreBelowEverything = noClasses()
            .that()
            .resideInAPackage(ROOT + "model.condition")
            .should()
            .dependOnClassesThat(JavaClass.Predicates.resideInAPackage(ROOT + ".")
                    .and(DescribedPredicate.not(JavaClass.Predicates.resideInAPackage(ROOT + "model.condition"))));

    @ArchTest
    static final ArchRule theModelReadsAndWritesNothing = noClasses()
            .that()
            .resideInAPackage(ROOT + "model..")
            .should()
            .dependOnClassesThat()
            .resideInAnyPackage(
                    "io.fabric8.kubernetes.client..",
                    "io.javaoperatorsdk..",
                    "io.micrometer..",
                    "java.io..",
                    "java.net..",
                    "java.nio.file..",
                    "java.util.concurrent..");

    @ArchTest
    static final ArchRule theListenerKitKnowsNothingOfWhatIsServed = noClasses()
            .that()
            .resideInAnyPackage(ROOT + "server.http..", ROOT + "server.auth..")
            .should()
            .dependOnClassesThat()
            .resideInAnyPackage(
                    ROOT + "server.query..",
                    ROOT + "server.admission..",
                    ROOT + "server.jobs..",
                    ROOT + "server.extender..");

    /** They may know the fabrics that are served, and who serves them. */
    @ArchTest
    static final ArchRule jobsDoNotKnowTheQueryApi = noClasses()
            .that()
            .resideInAPackage(ROOT + "server.jobs..")
            .should()
            .dependOnClassesThat()
            .resideInAPackage(ROOT + "server.query..");

    @ArchTest
    static final ArchRule partsOfTheServerFormNoCircle =
            slices().matching(ROOT + "server.(*)..").should().beFreeOfCycles();

    /** Each package is a part, the role's own too. */
    @ArchTest
    static final ArchRule packagesOfTheControllerFormNoCircle = slices().assignedFrom(
                    new PackagesBelow(ROOT + "controller"))
            .should()
            .beFreeOfCycles();

    @ArchTest
    static final ArchRule informersAreMadeInOnePlace = noClasses()
            .that()
            .doNotHaveFullyQualifiedName(ROOT + "cluster.Informers")
            .should()
            .callMethodWhere(DescribedPredicate.describe(
                    "an informer is made",
                    (JavaCall<?> call) -> call.getTargetOwner().isAssignableTo(Informable.class)
                            && Set.of("inform", "runnableInformer").contains(call.getName())));

    /**
     * The clock of the calendar may be set at any time: how long something has lasted is {@link SteadyClock}'s to say. These show times to others, or compare them with those of
     * certificates, tokens and other programs.
     */
    @ArchTest
    static final ArchRule noDurationIsMeasuredByTheCalendar = noClasses()
            .that()
            .doNotHaveFullyQualifiedName(ROOT + "Lifecycle")
            .and()
            .haveNameNotMatching(
                    Pattern.quote(ROOT)
                            + "(cluster.EventWriter|model.condition.Conditions|controller.WaitingJobs"
                            + "|controller.certificate.CertificateKeeper|controller.source.TopologySources"
                            + "|server.auth.TokenAuthenticator|server.query.http.AccessControl|server.query.QueryServer"
                            + "|server.extender.ExtenderServer|server.jobs.service.(JobServer|ServedJob|TrafficTold)|server.traffic.(CounterSources|Exporter))")
            .should()
            .dependOnClassesThat()
            .belongToAnyOf(Clock.class)
            .orShould()
            .callMethod(Instant.class, "now")
            .orShould()
            .callMethod(System.class, "currentTimeMillis");

    private record PackagesBelow(String root) implements SliceAssignment {
        @Override
        public SliceIdentifier getIdentifierOf(JavaClass type) {
            String name = type.getPackageName();
            return name.equals(root) || name.startsWith(root + ".")
                    ? SliceIdentifier.of(name)
                    : SliceIdentifier.ignore();
        }

        @Override
        public String getDescription() {
            return "packages of " + root;
        }
    }
}
