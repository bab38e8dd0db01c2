/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.operator.controller.job;

import dev.fabricoperator.crds.ConditionStatus;
import dev.fabricoperator.crds.FabricJob;
import dev.fabricoperator.crds.FabricJobStatusBuilder;
import dev.fabricoperator.crds.JobPhase;
import dev.fabricoperator.crds.ServerSideApply;
import dev.fabricoperator.crds.SteadyClock;
import dev.fabricoperator.operator.Settings;
import dev.fabricoperator.operator.cluster.ApiReader;
import dev.fabricoperator.operator.cluster.Backoff;
import dev.fabricoperator.operator.cluster.FactStore;
import dev.fabricoperator.operator.cluster.Informers;
import dev.fabricoperator.operator.controller.ModelLoop;
import dev.fabricoperator.operator.launch.JobEnd;
import dev.fabricoperator.operator.launch.JobOwners;
import dev.fabricoperator.operator.launch.OwnerRef;
import dev.fabricoperator.operator.model.condition.ConditionDraft;
import dev.fabricoperator.operator.model.condition.ConditionType;
import dev.fabricoperator.operator.model.condition.Conditions;
import dev.fabricoperator.operator.model.condition.Reason;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.fabric8.kubernetes.client.dsl.base.PatchContext;
import io.javaoperatorsdk.operator.api.config.ControllerConfigurationOverrider;
import io.javaoperatorsdk.operator.api.reconciler.Context;
import io.javaoperatorsdk.operator.api.reconciler.ControllerConfiguration;
import io.javaoperatorsdk.operator.api.reconciler.UpdateControl;
import io.quarkiverse.operatorsdk.runtime.api.ConfigurableReconciler;
import jakarta.enterprise.inject.Instance;
import java.io.IOException;
import java.net.HttpURLConnection;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Semaphore;
import java.util.concurrent.ThreadLocalRandom;
import java.util.function.BooleanSupplier;
import org.jboss.logging.Logger;
import org.jspecify.annotations.Nullable;

/**
 * Holds each FabricJob that is not finished against its owner, when this process begins to lead and regularly after that, and says that the job has ended where no server has. A server has a
 * job from the first question of a pod of it: of one that ended before that nobody else would hear (ADR 23).
 *
 * <p>What a server says comes first. The owner has to have ended, and the object to have been left as it is for a while since that was seen here, by this process's own measure of time; and the
 * API server takes the word for that very version of the object only.
 */
@ControllerConfiguration(name = "fabricjob", generationAwareEventProcessing = false)
public class FabricJobReconciler implements ConfigurableReconciler<FabricJob> {
    private static final Logger LOG = Logger.getLogger(FabricJobReconciler.class);
    private static final PatchContext APPLY = ServerSideApply.by("fabric-job-end");
    /** A new leader looks at all at once, and java-operator-sdk's threads are needed for Fabrics too. */
    private static final int OWNERS_READ_AT_ONE_TIME = 16;

    /** Until this process leads; watches are open before. */
    private static final Duration STANDBY = Duration.ofSeconds(5);

    private static final Backoff BUSY = new Backoff(Duration.ofSeconds(4), Duration.ofSeconds(4));

    private final KubernetesClient client;
    private final JobOwners owners;
    private final Conditions conditions;
    private final Duration silence;
    private final Backoff interval;
    private final BooleanSupplier leading;
    private final Semaphore reading = new Semaphore(OWNERS_READ_AT_ONE_TIME);
    private final FactStore<FabricJob, JobFacts> jobs = new FactStore<>(JobFacts::of, JobFacts::shape);
    /** By key of the store, for objects that are there. */
    private final Map<String, Look> looks = new ConcurrentHashMap<>();

    /**
     * The last look at a job.
     *
     * @param uid of the object
     * @param dueNanos of the next one, by {@link System#nanoTime}
     * @param endedAt resource version that the object had when its owner was first seen to have ended, {@code null} where it had not
     */
    private record Look(String uid, long dueNanos, @Nullable String endedAt) {}

    private final OwnerRefusals refusals;

    FabricJobReconciler(
            KubernetesClient client,
            Settings settings,
            Conditions conditions,
            SteadyClock clock,
            Instance<ModelLoop> loop) {
        this.leading = () -> loop.get().isLeading();
        this.client = client;
        this.owners = new JobOwners(client, clock);
        this.conditions = conditions;
        this.silence = settings.jobEnds().silence();
        Duration longest = settings.jobEnds().interval();
        this.interval = new Backoff(longest, longest);
        this.refusals = new OwnerRefusals(longest.multipliedBy(2));
        jobs.listen((before, after) -> {
            if (before != null && after == null) {
                String key = jobs.getKey(before.shape());
                looks.remove(key);
                refusals.remove(key);
            }
        });
    }

    @Override
    public void updateConfigurationFrom(ControllerConfigurationOverrider<FabricJob> configuration) {
        configuration.withItemStore(jobs).withInformerListLimit(Informers.LIST_LIMIT);
    }

    @Override
    public UpdateControl<FabricJob> reconcile(FabricJob object, Context<FabricJob> context)
            throws InterruptedException {
        String key = jobs.getKey(object);
        JobFacts job = jobs.fact(key);
        if (job == null || job.isSettled()) {
            looks.remove(key);
            refusals.remove(key);
            return UpdateControl.noUpdate();
        }
        if (!leading.getAsBoolean()) {
            return again(STANDBY);
        }
        Look last = looks.get(key);
        if (last != null && !last.uid().equals(job.uid())) {
            last = null;
        }
        if (last == null) {
            // A new leader meets all at once.
            return next(
                    key,
                    job,
                    Duration.ofMillis(ThreadLocalRandom.current()
                            .nextLong(interval.longest().toMillis())),
                    null);
        }
        long left = last.dueNanos() - System.nanoTime();
        if (left > 0) {
            return again(Duration.ofNanos(left));
        }
        if (!reading.tryAcquire()) {
            return again(BUSY.after(1));
        }
        try {
            return look(key, job, last.endedAt());
        } catch (ApiReader.RefusedException e) {
            refused(key, job, e);
            return next(key, job, interval.after(1), null);
        } catch (IOException e) {
            LOG.debugf("whether FabricJob %s has ended is asked again: %s", key, e.getMessage());
            return next(key, job, interval.after(1), null);
        } catch (KubernetesClientException e) {
            LOG.warnf("the end of FabricJob %s is told again: %s", key, e.getMessage());
            return next(key, job, interval.after(1), null);
        } finally {
            reading.release();
        }
    }

    private UpdateControl<FabricJob> look(String key, JobFacts job, @Nullable String endedAt)
            throws IOException, InterruptedException {
        JobEnd end = endOf(key, job);
        if (end == null) {
            return next(key, job, interval.after(1), null);
        }
        if (!end.well() && job.hasFailed()) {
            // Until the object changes.
            looks.remove(key);
            return UpdateControl.noUpdate();
        }
        if (!job.resourceVersion().equals(endedAt)) {
            return next(key, job, silence, job.resourceVersion());
        }
        looks.remove(key);
        try {
            tell(job, end);
        } catch (KubernetesClientException e) {
            if (e.getCode() != HttpURLConnection.HTTP_CONFLICT) {
                throw e;
            }
            // Somebody has written meanwhile, and the watch tells what.
            return again(BUSY.after(1));
        }
        LOG.infof("FabricJob %s: %s, which no server has told", key, end.words());
        return UpdateControl.noUpdate();
    }

    private @Nullable JobEnd endOf(String key, JobFacts job) throws IOException, InterruptedException {
        OwnerRef owner = job.owner();
        if (owner == null) {
            return new JobEnd(false, "its owner is gone, and nobody counts its pods any more");
        }
        JobEnd end = owners.end(job.namespace(), owner);
        refusals.remove(key);
        return end;
    }

    private static String kind(OwnerRef owner) {
        return owner.kind() + " of " + owner.apiVersion();
    }

    /** Said once for all owners of a kind: a kind that is installed anew is not served for a moment, one that is gone for good has many jobs. */
    private void refused(String key, JobFacts job, IOException why) {
        String kind = kind(Objects.requireNonNull(job.owner()));
        if (refusals.isToTell(kind, key, System.nanoTime())) {
            LOG.warnf(
                    "whether a %s has ended cannot be read, and FabricJobs of such, as %s, stay as they are: %s. Have the API server serve that kind in that version again, and let this"
                            + " operator read it; where it is gone for good, delete these FabricJobs",
                    kind, key, why.getMessage());
        } else {
            LOG.debugf("whether FabricJob %s has ended is asked again: %s", key, why.getMessage());
        }
    }

    private void tell(JobFacts job, JobEnd end) {
        List<ConditionDraft> drafts = new ArrayList<>();
        if (end.well() && job.phase() != JobPhase.Running) {
            drafts.add(new ConditionDraft(
                    ConditionType.Whole,
                    ConditionStatus.Unknown,
                    Reason.JobSucceeded,
                    "no server has seen all its pods together"));
        }
        drafts.add(new ConditionDraft(
                ConditionType.Finished,
                ConditionStatus.True,
                end.well() ? Reason.JobSucceeded : Reason.JobFailed,
                end.words() + "; no server was there to see how its ranks ended"));
        FabricJob said = job.shape();
        said.setStatus(FabricJobStatusBuilder.builder()
                .phase(end.well() ? JobPhase.Succeeded : JobPhase.Failed)
                .conditions(conditions.of(drafts, List.of(), null))
                .build());
        client.resource(said).subresource("status").patch(APPLY);
    }

    private UpdateControl<FabricJob> next(String key, JobFacts job, Duration pause, @Nullable String endedAt) {
        looks.put(key, new Look(job.uid(), System.nanoTime() + pause.toNanos(), endedAt));
        if (jobs.fact(key) == null) {
            looks.remove(key);
        }
        return again(pause);
    }

    private static UpdateControl<FabricJob> again(Duration pause) {
        return UpdateControl.<FabricJob>noUpdate().rescheduleAfter(pause);
    }
}
