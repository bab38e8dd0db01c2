/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.cli.cluster;

import dev.fabricoperator.cli.input.Failure;
import dev.fabricoperator.crds.LaunchApi;
import io.fabric8.kubernetes.api.model.Container;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.fabric8.kubernetes.client.dsl.ExecWatch;
import java.io.ByteArrayOutputStream;
import java.io.File;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

/** The PMIx server of a pod, asked by {@code pquery} of the server's image, which runs in the container of the ranks as their user. */
public final class PodPmixServer {
    private static final int LIMIT_SECONDS = 60;
    /** Of the launcher. */
    private static final String IMAGE_OPTION = "--pmixd";

    private static final String NEEDED = "get on pods and create on pods/exec, in namespace ";

    private static final String NO_SERVER = "PMIx_tool_init failed";
    /** For the first answer of a server that still waits for its job's other pods, or that a busy machine holds up. */
    private static final Duration NOT_YET_LIMIT = Duration.ofSeconds(30);

    private static final long NOT_YET_PAUSE_MILLIS = 1000;

    /** In the order of the keys. */
    public record Answers(String namespace, String pod, String container, List<PmixAnswer> answers) {}

    private PodPmixServer() {}

    /**
     * @param namespace {@code null} for that of the kubeconfig's context
     * @param container {@code null} for the one that was launched
     * @param keys of PMIx, each with its qualifiers in brackets as {@code pquery} reads them
     * @param err gets what the tool says of itself
     */
    public static Answers query(
            @Nullable String context,
            @Nullable File kubeconfig,
            @Nullable String namespace,
            String pod,
            @Nullable String container,
            List<String> keys,
            PrintWriter err)
            throws Failure {
        try (KubernetesClient client = Connection.open(context, kubeconfig, "start a cluster")) {
            String of = Objects.requireNonNullElseGet(namespace, () -> Connection.currentNamespace(client));
            try {
                Pod found = client.pods().inNamespace(of).withName(pod).get();
                if (found == null) {
                    throw Failure.failed("there is no pod " + pod + " in namespace " + of, null);
                }
                Container launched = launched(found, container);
                List<PmixAnswer> answers = new ArrayList<>();
                long begunNanos = System.nanoTime();
                boolean told = false;
                for (String key : keys) {
                    List<String> command = command(launched.getCommand(), key);
                    PmixAnswer.Printed printed = run(client, found, launched.getName(), command);
                    while (isWithoutServer(printed)) {
                        if (System.nanoTime() - begunNanos >= NOT_YET_LIMIT.toNanos()) {
                            throw Failure.failed(
                                    "the PMIx server of pod " + pod + " has let no tool in for "
                                            + NOT_YET_LIMIT.toSeconds() + " s ("
                                            + printed.err().strip()
                                            + "): it does once all pods of the job have joined, which 'kubectl fabric explain "
                                            + pod + " -n " + of + "' tells",
                                    null);
                        }
                        if (!told) {
                            err.println("pod " + pod + ": its PMIx server lets no tool in yet, asking again for "
                                    + NOT_YET_LIMIT.toSeconds() + " s");
                            err.flush();
                            told = true;
                        }
                        pause();
                        printed = run(client, found, launched.getName(), command);
                    }
                    if (printed.exitCode() == 0) {
                        printed.warnings().forEach(err::println);
                    }
                    answers.add(PmixAnswer.of(key, printed));
                }
                return new Answers(of, pod, launched.getName(), answers);
            } catch (KubernetesClientException e) {
                throw Connection.refused(client, e, NEEDED + of);
            }
        }
    }

    /** The tool does not tell "not yet" from "no". */
    private static boolean isWithoutServer(PmixAnswer.Printed printed) {
        return printed.exitCode() != 0 && printed.err().contains(NO_SERVER);
    }

    private static void pause() throws Failure {
        try {
            Thread.sleep(NOT_YET_PAUSE_MILLIS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw Failure.failed("interrupted", e);
        }
    }

    private static Container launched(Pod pod, @Nullable String wanted) throws Failure {
        String name = "pod " + pod.getMetadata().getNamespace() + "/"
                + pod.getMetadata().getName();
        if (pod.getStatus() == null || !"Running".equals(pod.getStatus().getPhase())) {
            throw Failure.failed(
                    name + " is "
                            + (pod.getStatus() == null ? "new" : pod.getStatus().getPhase())
                            + ": its PMIx server answers while its ranks run",
                    null);
        }
        for (Container each : pod.getSpec().getContainers()) {
            if (wanted != null ? each.getName().equals(wanted) : isLaunched(each)) {
                if (!isLaunched(each)) {
                    throw notLaunched("container " + wanted + " of " + name);
                }
                return each;
            }
            if (each.getName().equals(LaunchApi.PMIXD_CONTAINER)) {
                break;
            }
        }
        if (wanted != null) {
            throw Failure.failed(name + " has no container " + wanted, null);
        }
        throw notLaunched("no container of " + name);
    }

    private static Failure notLaunched(String what) {
        return Failure.failed(
                what
                        + " was launched directly with the PMIx server in it; 'kubectl fabric explain' tells what was injected",
                null);
    }

    private static boolean isLaunched(Container container) {
        List<String> command = container.getCommand();
        return !command.isEmpty()
                && command.getFirst().equals(LaunchApi.IMAGE_VOLUME_LAUNCHER)
                && command.contains(IMAGE_OPTION);
    }

    /** @param launcher what the container was started with, which names the image's directory */
    static List<String> command(List<String> launcher, String key) {
        return List.of(
                launcher.getFirst(),
                "--tool",
                "pquery",
                IMAGE_OPTION,
                launcher.get(launcher.indexOf(IMAGE_OPTION) + 1),
                "--",
                "--system-server",
                key);
    }

    private static PmixAnswer.Printed run(KubernetesClient client, Pod pod, String container, List<String> command)
            throws Failure {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        ByteArrayOutputStream err = new ByteArrayOutputStream();
        try (ExecWatch tool = client.pods()
                .resource(pod)
                .inContainer(container)
                .writingOutput(out)
                .writingError(err)
                .exec(command.toArray(String[]::new))) {
            int code = tool.exitCode().get(LIMIT_SECONDS, TimeUnit.SECONDS);
            if (code < 0) {
                throw Failure.failed(
                        "pod " + pod.getMetadata().getName()
                                + " ended while it was asked: its PMIx server answers while its ranks run",
                        null);
            }
            return new PmixAnswer.Printed(
                    out.toString(StandardCharsets.UTF_8), err.toString(StandardCharsets.UTF_8), code);
        } catch (TimeoutException e) {
            throw Failure.failed(
                    "the PMIx server of pod " + pod.getMetadata().getName() + " has not answered within "
                            + LIMIT_SECONDS + " s",
                    e);
        } catch (ExecutionException e) {
            if (e.getCause() instanceof KubernetesClientException refused) {
                throw refused;
            }
            throw Failure.failed("the tool did not run: " + Connection.rootMessage(e), e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw Failure.failed("interrupted", e);
        }
    }
}
