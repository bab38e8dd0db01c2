/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.cli.cluster;

import dev.fabricoperator.cli.cluster.QueryServer.NotServedException;
import dev.fabricoperator.cli.cluster.QueryServer.RefusedException;
import dev.fabricoperator.cli.input.Failure;
import dev.fabricoperator.view.answer.JobTrafficAnswer;
import io.fabric8.kubernetes.client.Config;
import io.fabric8.kubernetes.client.http.HttpClient;
import java.io.File;
import java.io.IOException;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** What jobs have sent. Only the operator knows it, in memory: no object tells it. */
public final class JobTraffic {
    private JobTraffic() {}

    /** @param namespace default is that of the kubeconfig's context */
    public static JobTrafficAnswer ask(
            @Nullable String context, @Nullable File kubeconfig, @Nullable String namespace, String name)
            throws Failure, IOException {
        Config config = Connection.config(context, kubeconfig, "start a cluster");
        String asked = Objects.requireNonNullElse(namespace == null ? config.getNamespace() : namespace, "default");
        try (HttpClient http = new ClusterHttp().newBuilder(config).build();
                QueryServer server = new QueryServer(new AggregatedWay(http, config.getMasterUrl()))) {
            return server.askJob(asked, name, "traffic").as(JobTrafficAnswer.class);
        } catch (RefusedException e) {
            throw e.isOfOlderServer()
                    ? Failure.failed(
                            "this operator is older than this command: it does not tell what jobs have sent", e)
                    : Failure.failed(e.getMessage(), e);
        } catch (NotServedException e) {
            throw Failure.failed(
                    e.getMessage()
                            + "; traffic is told by the query API alone: 'kubectl apply -k config/query-apiservice' registers it, and the ClusterRole"
                            + " 'view' in namespace " + asked + " allows it",
                    e);
        }
    }
}
