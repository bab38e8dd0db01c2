/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.cli.cluster;

import dev.fabricoperator.cli.cluster.QueryServer.NotServedException;
import dev.fabricoperator.cli.cluster.QueryServer.RefusedException;
import dev.fabricoperator.cli.input.Failure;
import dev.fabricoperator.fabric.cabling.PortPeer;
import dev.fabricoperator.formats.map.MapTraffic;
import dev.fabricoperator.formats.map.RankRange;
import dev.fabricoperator.view.answer.JobTrafficAnswer;
import dev.fabricoperator.view.answer.PortTrafficAnswer;
import io.fabric8.kubernetes.client.Config;
import io.fabric8.kubernetes.client.http.HttpClient;
import java.io.File;
import java.io.IOException;
import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** What jobs and ports send. Only the operator knows it, in memory: no object tells it. */
public final class Traffic {
    private Traffic() {}

    private interface Asking<A> {
        A ask(QueryServer server) throws IOException;
    }

    /** @param namespace default is that of the kubeconfig's context */
    public static JobTrafficAnswer ofJob(
            @Nullable String context, @Nullable File kubeconfig, @Nullable String namespace, String name)
            throws Failure, IOException {
        Config config = Connection.config(context, kubeconfig, "start a cluster");
        String asked = Objects.requireNonNullElse(namespace == null ? config.getNamespace() : namespace, "default");
        return ask(
                config,
                server -> server.askJob(asked, name, "traffic").as(JobTrafficAnswer.class),
                "what jobs have sent",
                "'view' in namespace " + asked);
    }

    /** Whether it is of a job of which nothing is known yet, or not any more. */
    public static boolean isOfUnknownJob(Failure failure) {
        return failure.getCause() instanceof RefusedException refused
                && refused.isNotFound()
                && !refused.isOfOlderServer();
    }

    /** All ports, and those that hold others up. */
    public static PortTrafficAnswer ofFabric(@Nullable String context, @Nullable File kubeconfig, String name)
            throws Failure, IOException {
        return ask(
                Connection.config(context, kubeconfig, "start a cluster"),
                server -> {
                    String fabric = QueryServer.encoded(name);
                    QueryServer.Pending ports = server.ask(fabric, "ports");
                    PortTrafficAnswer hot = server.ask(fabric, "hotspots").as(PortTrafficAnswer.class);
                    return new PortTrafficAnswer(
                            hot.fabric(),
                            hot.asOf(),
                            hot.problem(),
                            ports.as(PortTrafficAnswer.class).ports(),
                            known(hot.hotSpots()),
                            hot.portsAtEnd(),
                            hot.jobsLeftOut());
                },
                "what ports send",
                "'fabric-traffic-viewer'");
    }

    /**
     * What is drawn of a job, by name of the Fabric.
     *
     * @param err gets a warning where somebody may not know which ports are hot, or nobody looks
     */
    public static Map<String, MapTraffic> drawnOfJob(
            @Nullable String context,
            @Nullable File kubeconfig,
            @Nullable String namespace,
            String name,
            PrintWriter err)
            throws Failure, IOException {
        JobTrafficAnswer job = ofJob(context, kubeconfig, namespace, name);
        List<JobTrafficAnswer.Link> links = job.links();
        if (links == null) {
            throw Failure.failed(
                    "this operator is older than this command: it does not tell on which links a job is", null);
        }
        Map<String, Set<PortPeer>> hot = new HashMap<>();
        Map<String, List<MapTraffic.Link>> drawn = new HashMap<>();
        for (JobTrafficAnswer.Link link : links) {
            Set<PortPeer> hotPorts = hot.get(link.fabric());
            if (hotPorts == null) {
                hotPorts = hotPorts(context, kubeconfig, link.fabric(), err);
                hot.put(link.fabric(), hotPorts);
            }
            drawn.computeIfAbsent(link.fabric(), any -> new ArrayList<>())
                    .add(new MapTraffic.Link(
                            link.switchId(),
                            link.port(),
                            link.bytesPerSecond(),
                            hotPorts.contains(new PortPeer(link.switchId(), link.port()))));
        }
        Map<String, List<RankRange>> ranks = ranks(job);
        Map<String, MapTraffic> byFabric = new HashMap<>();
        drawn.forEach((fabric, each) -> byFabric.put(fabric, new MapTraffic(each, ranks)));
        return byFabric;
    }

    /** By node. */
    private static Map<String, List<RankRange>> ranks(JobTrafficAnswer job) {
        Map<String, List<RankRange>> ranks = new HashMap<>();
        for (JobTrafficAnswer.Pod pod : job.pods()) {
            RankRange range = pod.ranks() == null ? null : RankRange.parse(pod.ranks());
            if (range != null) {
                ranks.computeIfAbsent(pod.node(), any -> new ArrayList<>()).add(range);
            }
        }
        return ranks;
    }

    private static Set<PortPeer> hotPorts(
            @Nullable String context, @Nullable File kubeconfig, String fabric, PrintWriter err) throws IOException {
        Set<PortPeer> hot = new HashSet<>();
        try {
            PortTrafficAnswer answer = ask(
                    Connection.config(context, kubeconfig, "start a cluster"),
                    server ->
                            server.ask(QueryServer.encoded(fabric), "hotspots").as(PortTrafficAnswer.class),
                    "which ports are hot",
                    "'fabric-traffic-viewer'");
            Objects.requireNonNullElse(answer.hotSpots(), List.<PortTrafficAnswer.HotSpot>of())
                    .forEach(each -> hot.add(new PortPeer(each.switchId(), each.port())));
        } catch (Failure e) {
            err.println("warning: which ports are hot is not shown: " + e.getMessage());
        }
        return hot;
    }

    /** Without those for a reason that only a later operator knows. */
    private static @Nullable List<PortTrafficAnswer.HotSpot> known(@Nullable List<PortTrafficAnswer.HotSpot> hotSpots) {
        return hotSpots == null
                ? null
                : hotSpots.stream().filter(each -> each.why() != null).toList();
    }

    private static <A> A ask(Config config, Asking<A> asking, String what, String role) throws Failure, IOException {
        try (HttpClient http = new ClusterHttp().newBuilder(config).build();
                QueryServer server = new QueryServer(new AggregatedWay(http, config.getMasterUrl()))) {
            return asking.ask(server);
        } catch (RefusedException e) {
            throw e.isOfOlderServer()
                    ? Failure.failed("this operator is older than this command: it does not tell " + what, e)
                    : Failure.failed(e.getMessage(), e);
        } catch (NotServedException e) {
            throw Failure.failed(
                    e.getMessage()
                            + "; traffic is told by the query API alone: 'kubectl apply -k config/query-apiservice' registers it, and the ClusterRole "
                            + role + " allows it",
                    e);
        }
    }
}
