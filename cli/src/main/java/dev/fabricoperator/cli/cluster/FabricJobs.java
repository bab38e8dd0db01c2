/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.cli.cluster;

import dev.fabricoperator.cli.input.Failure;
import dev.fabricoperator.crds.FabricJob;
import io.fabric8.kubernetes.api.model.KubernetesResourceList;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.fabric8.kubernetes.client.dsl.Listable;
import java.io.File;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The FabricJobs of a cluster. */
public final class FabricJobs implements AutoCloseable {
    private final KubernetesClient client;

    private FabricJobs(KubernetesClient client) {
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

    /** Found by a list, which unlike a get tells a job that is not there from a kind that is not. */
    public JobSummary named(String namespace, String name) throws Failure {
        List<JobSummary> found =
                list(client.resources(FabricJob.class).inNamespace(namespace).withField("metadata.name", name));
        if (found.isEmpty()) {
            throw Failure.wrongUsage("no FabricJob '" + name + "' in namespace " + namespace
                    + "; there is one from the first pod on that asks for a direct launch");
        }
        return found.getFirst();
    }

    private List<JobSummary> list(Listable<? extends KubernetesResourceList<FabricJob>> asked) throws Failure {
        try {
            return asked.list().getItems().stream().map(JobSummary::of).toList();
        } catch (KubernetesClientException e) {
            throw Connection.refused(client, e, "list on fabricjobs of fabric-operator.dev");
        }
    }

    @Override
    public void close() {
        client.close();
    }
}
