/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.cli.cluster;

import dev.fabricoperator.cli.input.FabricSet;
import dev.fabricoperator.cli.input.Failure;
import dev.fabricoperator.cli.input.FoundDevice;
import dev.fabricoperator.cli.input.FoundFabric;
import dev.fabricoperator.cli.output.Progress;
import dev.fabricoperator.crds.Fabric;
import dev.fabricoperator.crds.FabricDevice;
import dev.fabricoperator.crds.FabricSpec;
import dev.fabricoperator.crds.FabricSpecBuilder;
import dev.fabricoperator.crds.FabricStatus;
import dev.fabricoperator.crds.FabricSwitch;
import dev.fabricoperator.fabric.cabling.Switch;
import dev.fabricoperator.fabric.model.FabricModel;
import dev.fabricoperator.view.mapping.AssembledFabric;
import dev.fabricoperator.view.mapping.FabricAssembly;
import dev.fabricoperator.view.mapping.FabricMember;
import dev.fabricoperator.view.mapping.NvlinkFabrics;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientException;
import java.io.File;
import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;
import java.util.TreeMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.function.Function;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/** The fabrics of a cluster, computed from its objects with the code that the operator uses. */
public final class ClusterFabrics {
    static final String NEEDED = "get and list on fabrics, fabricdevices and fabricswitches of fabric-operator.dev";

    private static final long SILENT_NANOSECONDS = 2_000_000_000L;
    static final Comparator<Fabric> DEFAULT_FIRST = Comparator.comparing(fabric -> new KnownFabric.Rank(
            NvlinkFabrics.isOfAcceleratorsAlone(spec(fabric)),
            Objects.requireNonNullElse(spec(fabric).priority(), 0),
            index(fabric, Integer.MAX_VALUE),
            fabric.getMetadata().getName()));

    private final KubernetesClient client;
    private final PrintWriter err;
    private long spoke = System.nanoTime();
    private boolean speaking;

    ClusterFabrics(KubernetesClient client, PrintWriter err) {
        this.client = client;
        this.err = err;
    }

    /** @param err gets the progress of what takes longer than two seconds */
    public static FabricSet read(@Nullable String context, @Nullable File kubeconfig, PrintWriter err) throws Failure {
        try (KubernetesClient client = Connection.open(context, kubeconfig, "name files")) {
            return new ClusterFabrics(client, err).read();
        }
    }

    static Failure noFabric(String server) {
        return Failure.failed(
                server
                        + ": no Fabric in this cluster; 'kubectl get fabricdevices' shows whether agents"
                        + " have found devices",
                null);
    }

    /** The default one first; at least one. */
    private List<Fabric> fabrics() throws Failure {
        List<Fabric> fabrics = fetch(Fabric.class, "Fabrics", all -> true);
        if (fabrics.isEmpty()) {
            throw noFabric(client.getMasterUrl().toString());
        }
        fabrics.sort(DEFAULT_FIRST);
        return fabrics;
    }

    List<FabricDevice> devices(Predicate<FabricDevice> isWanted) throws Failure {
        return fetch(FabricDevice.class, "FabricDevices", isWanted.and(FabricMember::isKnown));
    }

    /** All objects, the three kinds side by side. */
    FabricSet read() throws Failure {
        List<FabricSwitch> switches;
        List<FabricDevice> devices;
        List<Fabric> fabrics;
        try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
            Future<List<FabricSwitch>> switchesRead =
                    threads.submit(() -> fetch(FabricSwitch.class, "FabricSwitches", all -> true));
            Future<List<FabricDevice>> devicesRead = threads.submit(() -> devices(all -> true));
            fabrics = fabrics();
            switches = arrived(switchesRead);
            devices = arrived(devicesRead);
        }
        Progress.says("building the fabrics");
        FabricAssembly assembly = FabricAssembly.of(fabrics, devices, switches);
        List<FoundFabric> found = new ArrayList<>();
        List<FoundDevice> placed = new ArrayList<>();
        TreeMap<String, Switch> shown = new TreeMap<>();
        for (Fabric fabric : fabrics) {
            AssembledFabric parts = assembly.fabric(fabric);
            FoundFabric one = found(fabric, parts);
            found.add(one);
            parts.switches().forEach(s -> shown.put(s.id(), s));
            parts.members().forEach((slot, member) -> {
                if (member instanceof FabricMember.WholeDevice(FabricDevice object)) {
                    placed.add(new FoundDevice(one, slot, object.getSpec(), member.name()));
                }
            });
        }
        return new FabricSet(found, List.copyOf(shown.values()), placed, List.of(), List.of());
    }

    static <T> T arrived(Future<T> reading) throws Failure {
        try {
            return reading.get();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw Failure.failed("interrupted", e);
        } catch (ExecutionException e) {
            if (e.getCause() instanceof Failure failure) {
                throw failure;
            }
            throw new IllegalStateException(e.getCause());
        }
    }

    private FoundFabric found(Fabric fabric, AssembledFabric parts) {
        FabricStatus status = fabric.getStatus();
        FabricModel model = parts.model().exempting(spec(fabric).exemptHosts());
        String name = fabric.getMetadata().getName();
        if (status == null || status.costMatrix() == null) {
            err.println("warning: fabric " + name + " has no status yet; what is shown may change");
        } else if (!model.cost().digest().equals(status.costMatrix().digest())) {
            err.println("warning: fabric " + name + " is being updated: its objects are not of one generation yet");
        }
        long generation = status == null || status.generation() == null ? 0 : status.generation();
        return new FoundFabric(
                name,
                index(fabric, 0),
                generation,
                status == null ? null : status.vendor(),
                status == null || status.identifier() == null ? name : status.identifier(),
                spec(fabric),
                parts.switches(),
                model,
                status == null ? null : statusFindings(status, model),
                null);
    }

    private static FoundFabric.StatusFindings statusFindings(FabricStatus status, FabricModel model) {
        boolean all = Objects.requireNonNullElse(status.findingsTotal(), 0)
                <= status.findings().size();
        boolean ofThis = status.costMatrix() != null
                && model.cost().digest().equals(status.costMatrix().digest());
        return new FoundFabric.StatusFindings(status.findings(), all, ofThis);
    }

    private static FabricSpec spec(Fabric fabric) {
        FabricSpec spec = fabric.getSpec();
        return spec == null ? FabricSpecBuilder.builder().build() : spec;
    }

    private static int index(Fabric fabric, int otherwise) {
        FabricStatus status = fabric.getStatus();
        return status == null || status.index() == null ? otherwise : status.index();
    }

    private <T extends HasMetadata> List<T> fetch(Class<T> type, String words, Predicate<T> isWanted) throws Failure {
        try {
            return Pages.read(
                    client.resources(type),
                    isWanted,
                    Function.identity(),
                    (count, rest) -> progress(words, count, rest));
        } catch (KubernetesClientException e) {
            throw Connection.refused(client, e, NEEDED);
        }
    }

    private synchronized void progress(String words, int count, long rest) {
        if (System.nanoTime() - spoke > SILENT_NANOSECONDS || speaking && rest == 0) {
            speaking = true;
            spoke = System.nanoTime();
            err.println("read " + count + (rest > 0 ? " of " + (count + rest) : "") + " " + words);
            err.flush();
        }
    }
}
