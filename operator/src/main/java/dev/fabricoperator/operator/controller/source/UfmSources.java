/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.operator.controller.source;

import dev.fabricoperator.crds.ObjectRef;
import dev.fabricoperator.crds.SourceType;
import dev.fabricoperator.crds.SteadyClock;
import dev.fabricoperator.crds.TopologySource;
import dev.fabricoperator.fabric.cabling.BadInputException;
import dev.fabricoperator.fabric.cabling.Cabling;
import dev.fabricoperator.operator.Settings;
import dev.fabricoperator.operator.controller.source.ufm.CompressedText;
import dev.fabricoperator.operator.controller.source.ufm.UfmClient;
import dev.fabricoperator.operator.controller.source.ufm.UfmCredentials;
import dev.fabricoperator.operator.controller.source.ufm.UfmException;
import dev.fabricoperator.operator.controller.source.ufm.UfmLimits;
import dev.fabricoperator.operator.model.SourceProblem;
import io.fabric8.kubernetes.api.model.Secret;
import io.fabric8.kubernetes.client.KubernetesClientException;
import jakarta.annotation.PreDestroy;
import jakarta.enterprise.context.ApplicationScoped;
import java.io.IOException;
import java.io.Reader;
import java.net.URI;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ConcurrentHashMap;
import org.jboss.logging.Logger;
import org.jspecify.annotations.Nullable;

/**
 * Appliances that are asked again and again, each by a thread of its own, so that a slow one keeps no other source waiting. What
 * they answer is kept compressed, within bytes that they share, until {@link #poll} reads it: one at a time, as any other source.
 */
@ApplicationScoped
public class UfmSources {
    private static final Logger LOG = Logger.getLogger(UfmSources.class);

    private final SourceContents bytes;
    private final SteadyClock clock;
    private final String namespace;
    private final Duration interval;
    private final Map<String, Poll> polls = new ConcurrentHashMap<>();
    private volatile Runnable onAnswer = () -> {};

    public UfmSources(SourceContents bytes, SteadyClock clock, Settings settings) {
        this.bytes = bytes;
        this.clock = clock;
        this.namespace = settings.namespace();
        this.interval = settings.ufmPollInterval();
    }

    /** Calls {@code answered} whenever there is something to {@link #poll}. */
    void listen(Runnable answered) {
        onAnswer = answered;
    }

    /** An appliance's answer, and the requests for a refresh that it answers. */
    record Answer(Reading reading, List<String> refreshes) {}

    /** What an appliance said, not yet read, or why it said nothing. */
    private record Said(
            String url,
            @Nullable CompressedText text,
            @Nullable Reading failure,
            List<String> refreshes) {}

    private static final class Poll {
        private @Nullable TopologySource source;
        private @Nullable Instant due;
        private List<String> asked = List.of();
        private @Nullable Said said;
        private @Nullable Thread running;
    }

    /**
     * What has come in since the last call, {@code null} for nothing; asks anew when it is time.
     *
     * @param refreshes requests that an answer has to be younger than
     */
    @Nullable
    Answer poll(String name, TopologySource source, List<String> refreshes) {
        Poll poll = polls.computeIfAbsent(name, n -> new Poll());
        Said said;
        synchronized (poll) {
            Instant now = clock.instant();
            boolean wanted = poll.due == null
                    || !source.equals(poll.source)
                    || !now.isBefore(poll.due)
                    || !poll.asked.containsAll(refreshes);
            if (poll.running == null && wanted) {
                poll.source = source;
                poll.asked = List.copyOf(refreshes);
                poll.due = now.plus(interval);
                poll.running = Thread.ofVirtual().name("ufm-" + name).start(() -> ask(poll, source, poll.asked));
            }
            said = poll.said;
            poll.said = null;
        }
        return said == null ? null : new Answer(read(said), said.refreshes());
    }

    private static Reading read(Said said) {
        if (said.text() == null) {
            return Objects.requireNonNull(said.failure());
        }
        try (Reader text = said.text().open()) {
            Cabling cabling = SourceText.cabling(SourceType.ufm, said.url(), text);
            return new Reading.Success(SourceType.ufm, said.url(), cabling, Reading.Evidence.Polled);
        } catch (BadInputException e) {
            return bad(SourceProblem.Kind.Unreadable, e.getMessage());
        } catch (IOException e) {
            return bad(SourceProblem.Kind.Unreadable, said.url() + ": " + e.getMessage());
        } catch (RuntimeException | StackOverflowError e) {
            return defect(said.url(), e);
        }
    }

    void forget(String name) {
        Poll poll = polls.remove(name);
        if (poll != null) {
            interrupt(poll);
        }
    }

    private void ask(Poll poll, TopologySource source, List<String> asked) {
        Said said = null;
        try {
            said = said(source, asked);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return;
        } catch (RuntimeException e) {
            String url = String.valueOf(source.url());
            said = new Said(url, null, defect(url, e), asked);
        } finally {
            synchronized (poll) {
                poll.running = null;
                if (said != null) {
                    poll.said = said;
                }
            }
        }
        onAnswer.run();
    }

    private Said said(TopologySource source, List<String> asked) throws InterruptedException {
        String url = String.valueOf(source.url());
        ObjectRef ref = source.secretRef();
        String secretName = ref == null ? "" : ref.name();
        Reading failure;
        try {
            Secret secret = bytes.secret(namespace, secretName);
            if (secret == null) {
                failure = bad(
                        SourceProblem.Kind.Missing,
                        url + ": there is no Secret " + secretName + " in namespace " + namespace);
                return new Said(url, null, failure, asked);
            }
            URI uri = URI.create(url.replaceFirst("/+$", ""));
            UfmLimits limits = UfmLimits.DEFAULT.sharedBy(polls.size());
            try (UfmClient client = new UfmClient(uri, UfmCredentials.of(secret, uri), limits)) {
                return new Said(url, client.readWithin(), null, asked);
            }
        } catch (UfmException e) {
            SourceProblem.Kind kind = switch (e.kind()) {
                case Unreachable -> SourceProblem.Kind.Unreachable;
                case Refused -> SourceProblem.Kind.Refused;
                case Unreadable -> SourceProblem.Kind.Unreadable;
            };
            failure = bad(kind, e.getMessage());
        } catch (IllegalArgumentException e) {
            failure = bad(SourceProblem.Kind.Unreadable, url + ": this is no URL of an appliance");
        } catch (IOException | KubernetesClientException e) {
            failure = bad(SourceProblem.Kind.Unreachable, url + ": " + e.getMessage());
        }
        return new Said(url, null, failure, asked);
    }

    private static Reading defect(String url, Throwable e) {
        LOG.errorf(e, "%s cannot be read", url);
        return new Reading.Failure(SourceType.ufm, SourceText.defect(url, e));
    }

    private static Reading bad(SourceProblem.Kind kind, @Nullable String message) {
        return new Reading.Failure(SourceType.ufm, new SourceProblem(kind, String.valueOf(message)));
    }

    private static void interrupt(Poll poll) {
        synchronized (poll) {
            if (poll.running != null) {
                poll.running.interrupt();
            }
        }
    }

    @PreDestroy
    void stop() {
        polls.values().forEach(UfmSources::interrupt);
    }
}
