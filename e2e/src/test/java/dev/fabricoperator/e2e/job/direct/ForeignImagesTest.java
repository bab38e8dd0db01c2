/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.e2e.job.direct;

import static dev.fabricoperator.e2e.job.direct.FaultCase.RANKS;
import static dev.fabricoperator.e2e.job.direct.FaultCase.annotated;
import static dev.fabricoperator.e2e.job.direct.FaultCase.job;
import static org.assertj.core.api.Assertions.assertThat;

import dev.fabricoperator.crds.Condition;
import dev.fabricoperator.crds.ConditionStatus;
import dev.fabricoperator.crds.JobClients;
import dev.fabricoperator.crds.JobPhase;
import dev.fabricoperator.e2e.cluster.ProjectRoot;
import dev.fabricoperator.e2e.job.ProofImages;
import dev.fabricoperator.e2e.junit.OnRealNodes;
import dev.fabricoperator.e2e.node.HostCommand;
import dev.fabricoperator.e2e.node.ImageArchive;
import dev.fabricoperator.e2e.system.Command;
import io.fabric8.kubernetes.api.model.EnvVar;
import io.fabric8.kubernetes.api.model.EnvVarBuilder;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.SecurityContextBuilder;
import io.fabric8.kubernetes.api.model.batch.v1.JobBuilder;
import java.io.IOException;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The PMIx server runs in the container of the ranks, whatever that is made of and whatever its environment says. */
@OnRealNodes
@ExtendWith(LaunchClusterExtension.class)
class ForeignImagesTest {
    private static final long USER = 54_321;
    private static final String MPICH = "fabric-operator.test/mpich:";

    /** Releases of Debian whose image the cluster has. */
    private static final Set<String> IMPORTED = new HashSet<>();

    /** Names of which none is pmixd's business. */
    private static final List<EnvVar> RUBBISH = Map.of(
                    "LD_LIBRARY_PATH", "/nowhere:/usr/local/bin",
                    "JAVA_TOOL_OPTIONS", "-XX:+NoSuchOption",
                    "JDK_JAVA_OPTIONS", "-XX:+NoSuchOption",
                    "OPENSSL_CONF", "/nowhere/openssl.cnf",
                    "LC_ALL", "tr_TR.UTF-8",
                    "TMPDIR", "/dev/shm")
            .entrySet()
            .stream()
            .map(entry -> new EnvVarBuilder()
                    .withName(entry.getKey())
                    .withValue(entry.getValue())
                    .build())
            .toList();

    private final FaultCase faults;

    @TempDir
    Path directory;

    ForeignImagesTest(FaultCase faults) {
        this.faults = faults;
    }

    /** As <em>restricted</em> has it, and no file of the image can be written; the user has no name. */
    private static JobBuilder confined(JobBuilder job, String image, EnvVar... more) {
        return job.editSpec()
                .editTemplate()
                .editSpec()
                .editFirstContainer()
                .withImage(image)
                .addAllToEnv(RUBBISH)
                .addToEnv(more)
                .withSecurityContext(new SecurityContextBuilder()
                        .withRunAsUser(USER)
                        .withRunAsGroup(USER)
                        .withRunAsNonRoot(true)
                        .withReadOnlyRootFilesystem(true)
                        .withAllowPrivilegeEscalation(false)
                        .withNewCapabilities()
                        .withDrop("ALL")
                        .endCapabilities()
                        .withNewSeccompProfile()
                        .withType("RuntimeDefault")
                        .endSeccompProfile()
                        .build())
                .endContainer()
                .endSpec()
                .endTemplate()
                .endSpec();
    }

    private Pod completes(String name) {
        faults.awaitEnd(name, "Complete");
        Pod pod = faults.pod(name, 0);
        assertThat(pod.getSpec().getContainers()).hasSize(1);
        assertThat(faults.awaitPhase(name, JobPhase.Succeeded).attempt()).isZero();
        return pod;
    }

    @Test
    void anImageOfOneStaticProgramIsLaunchedAlsoWhereAPreloadedLibraryIsNotThere() {
        faults.create(annotated(
                confined(
                        job("scratch", 2, "/static-rank"),
                        ProofImages.SCRATCH,
                        new EnvVar("LD_PRELOAD", "/nowhere/lib.so", null)),
                "ranks-per-pod",
                "2"));

        Pod pod = completes("scratch");

        assertThat(faults.log(pod, RANKS))
                .contains("static rank 0 of jobs.scratch-", "static rank 1 of jobs.scratch-", "uid " + USER);
        assertThat(faults.fabricJob("scratch").conditions())
                .filteredOn(condition -> condition.type().equals("OneContainer"))
                .singleElement()
                .returns(ConditionStatus.True, Condition::status);
    }

    @Test
    void openMpiRunsWithAReadOnlyRootAndAUserWithoutAName() {
        faults.create(annotated(
                confined(job("confined", 2, "/usr/local/bin/mpi-proof", "2"), ProofImages.PLAIN),
                "ranks-per-pod",
                "2"));

        assertThat(faults.log(completes("confined"), RANKS)).contains("ring ok, collectives ok, 4 ranks on 2 nodes");
    }

    /** As Debian has it, without PMIx. */
    @ParameterizedTest
    @CsvSource({"bookworm, size, 'MPICH: rank 0 of 4'", "sid, ring, 'ring of 4: token 4, sum 6'"})
    void mpichFindsItsPeersOnOtherNodesByPmi1(String suite, String program, String said) throws IOException {
        String name = "mpich-" + suite;
        faults.create(
                annotated(confined(job(name, 2, "/usr/local/bin/" + program), mpich(suite)), "ranks-per-pod", "2"));

        assertThat(faults.log(completes(name), RANKS)).contains(said);
        assertThat(faults.fabricJob(name).conditions())
                .noneMatch(condition -> condition.type().equals("RanksConnected"));
        assertThat(faults.fabricJob(name).clients()).isEqualTo(new JobClients(0, 4, 0));
        assertThat(Command.kubectlFabric(faults.cluster).run("job", name, "-n", faults.namespace))
                .contains("4 PMI-1");
    }

    @Test
    void anAbortOfMpichEndsAllPodsWithItsCode() throws IOException {
        faults.create(annotated(
                confined(
                        job("mpich-abort", 2, "/usr/local/bin/mpi-ends", "waiting", "abort:7", "1"), mpich("bookworm")),
                "ranks-per-pod",
                "1"));

        faults.awaitEnd("mpich-abort", "Failed");
        assertThat(faults.pods("mpich-abort"))
                .hasSizeGreaterThanOrEqualTo(2)
                .allSatisfy(pod -> assertThat(faults.log(pod, RANKS)).contains("rank 1 aborted with status 7"));
    }

    /** The name of the image; it is made and imported for the first test that asks for it. */
    private String mpich(String suite) throws IOException {
        synchronized (IMPORTED) {
            if (!IMPORTED.contains(suite)) {
                faults.cluster.importImages(archive(suite));
                IMPORTED.add(suite);
            }
        }
        return MPICH + suite;
    }

    /** Of a root file system of that Debian's packages. */
    private Path archive(String suite) throws IOException {
        String roots = System.getenv("FABRIC_OPERATOR_CLIENT_ROOTS");
        Assumptions.assumeTrue(roots != null, "no root file systems of other releases: make setup");
        Path root = Path.of(roots, suite);
        Path library = root.resolve("usr/lib/x86_64-linux-gnu");
        Map<String, Path> programs = new LinkedHashMap<>();
        for (String source : List.of("pmix/src/test/c/size.c", "pmix/src/test/c/ring.c", "e2e/programs/mpi-ends.c")) {
            String name = Path.of(source).getFileName().toString().replace(".c", "");
            Path program = directory.resolve(name);
            // Of that library's own dependencies this machine has none.
            HostCommand.run(
                    "gcc",
                    "-I" + library.resolve("mpich/include"),
                    "-o",
                    program.toString(),
                    ProjectRoot.find().resolve(source).toString(),
                    "-Wl,--allow-shlib-undefined",
                    library.resolve("libmpich.so.12").toString());
            programs.put("usr/local/bin/" + name, program);
        }
        return new ImageArchive()
                .add(
                        MPICH + suite,
                        List.of(
                                ImageArchive.layerOf(root),
                                ImageArchive.layer(directory.resolve(suite + "-programs.tar"), programs)),
                        Map.of())
                .write(directory.resolve(suite + ".tar"));
    }

    @Test
    void ranksHaveTheirOwnEnvironmentAndNothingOfPmixds() {
        faults.create(job("environment", 1, "env"));

        assertThat(faults.log(completes("environment"), RANKS).lines())
                .anyMatch(line -> line.startsWith("PMIX_RANK=0"))
                .noneMatch(line -> line.startsWith("PMIXD_"));
    }
}
