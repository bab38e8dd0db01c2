/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.cli.cluster;

import dev.fabricoperator.cli.input.Failure;
import dev.fabricoperator.crds.FabricDevice;
import dev.fabricoperator.crds.FabricJob;
import io.fabric8.kubernetes.api.model.KubernetesResourceList;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.fabric8.kubernetes.client.dsl.Listable;
import java.io.File;
import java.io.PrintWriter;
import java.util.List;
import java.util.Objects;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** The FabricJobs of a cluster. */
public final class FabricJobs implements AutoCloseable {
    private final KubernetesClient client;

    FabricJobs(KubernetesClient client) {
        this.client = client;
    }

    public static FabricJobs in(@Nullable String context, @Nullable File kubeconfig) throws Failure {
        return new FabricJobs(Connection.open(context, kubeconfig, "start a cluster"));
    }

    /** @see Connection#currentNamespace */
    public String currentNamespace() {
        return Connection.currentNamespace(client);
    }

    public List<JobSummary> inAllNamespaces() throws Failure {
        return list(client.resources(FabricJob.class).inAnyNamespace());
    }

    public List<JobSummary> inNamespace(String namespace) throws Failure {
        return list(client.resources(FabricJob.class).inNamespace(namespace));
    }

    public JobSummary named(String namespace, String name) throws Failure {
        return JobSummary.of(object(namespace, name));
    }

    /**
     * A job with where it is.
     *
     * @param err gets warnings, and the progress of what takes longer than two seconds
     */
    public JobReport report(String namespace, String name, PrintWriter err) throws Failure {
        FabricJob job = object(namespace, name);
        JobPods read = new JobPods(client, err);
        List<JobPods.Placed> pods = read.of(job);
        List<FabricDevice> devices = read.devices(pods);
        return JobReport.of(job, pods, devices, read.names(JobReport.switchIds(devices)));
    }

    /**
     * Where ranks of a job are.
     *
     * @param fabric that most of its devices belong to; {@code null} where that is not known
     */
    public record Ranks(@Nullable String fabric, SortedMap<String, Integer> byNode) {}

    /** @param err gets a warning where pods may not be read, and the answer is empty */
    public Ranks ranks(String namespace, String name, PrintWriter err) throws Failure {
        FabricJob job = object(namespace, name);
        SortedMap<String, Integer> byNode = new TreeMap<>();
        for (JobPods.Placed pod :
                Objects.requireNonNullElse(new JobPods(client, err).of(job), List.<JobPods.Placed>of())) {
            if (pod.node() != null) {
                byNode.merge(pod.node(), pod.ranks(), Integer::sum);
            }
        }
        return new Ranks(job.getStatus() == null ? null : job.getStatus().fabric(), byNode);
    }

    /** Found by a list, which unlike a get tells a job that is not there from a kind that is not. */
    private FabricJob object(String namespace, String name) throws Failure {
        List<FabricJob> found = read(
                client.resources(FabricJob.class).inNamespace(namespace).withField("metadata.name", name),
                Function.identity());
        if (found.isEmpty()) {
            throw Failure.wrongUsage("no FabricJob '" + name + "' in namespace " + namespace
                    + "; there is one as soon as a pod of a direct launch asks for its job: 'kubectl fabric explain "
                    + name
                    + " -n " + namespace + "' says what became of it");
        }
        return found.getFirst();
    }

    private List<JobSummary> list(Listable<? extends KubernetesResourceList<FabricJob>> asked) throws Failure {
        return read(asked, JobSummary::of);
    }

    private <T> List<T> read(Listable<? extends KubernetesResourceList<FabricJob>> asked, Function<FabricJob, T> kept)
            throws Failure {
        try {
            return Pages.read(asked, all -> true, kept);
        } catch (KubernetesClientException e) {
            throw Connection.refused(
                    client,
                    e,
                    "list on fabricjobs of fabric-operator.dev: an administrator binds the ClusterRole 'view' to you in the namespace");
        }
    }

    @Override
    public void close() {
        client.close();
    }
}
