/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.operator.controller.source;

import dev.fabricoperator.crds.ObjectRef;
import dev.fabricoperator.crds.SourceType;
import dev.fabricoperator.crds.TopologySource;
import dev.fabricoperator.fabric.cabling.BadInputException;
import dev.fabricoperator.operator.Settings;
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
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.jboss.logging.Logger;
import org.jspecify.annotations.Nullable;

/**
 * Appliances that are asked again and again, each by a thread of its own, so that a slow one keeps no other source waiting.
 */
@ApplicationScoped
public class UfmSources {
    private static final Logger LOG = Logger.getLogger(UfmSources.class);

    private final SourceContents bytes;
    private final Clock clock;
    private final String namespace;
    private final Duration interval;
    private final Map<String, Poll> polls = new ConcurrentHashMap<>();
    private volatile Runnable onAnswer = () -> {};

    public UfmSources(SourceContents bytes, Clock clock, Settings settings) {
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

    private static final class Poll {
        private @Nullable TopologySource source;
        private @Nullable Instant due;
        private List<String> asked = List.of();
        private @Nullable Answer answer;
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
            Answer answer = poll.answer;
            poll.answer = null;
            return answer;
        }
    }

    void forget(String name) {
        Poll poll = polls.remove(name);
        if (poll != null) {
            interrupt(poll);
        }
    }

    private void ask(Poll poll, TopologySource source, List<String> asked) {
        Reading reading = null;
        try {
            reading = read(source);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return;
        } catch (RuntimeException e) {
            LOG.errorf(e, "%s cannot be read", source.url());
            reading = bad(SourceProblem.Kind.Unreadable, source.url() + ": a defect of the operator: " + e);
        } catch (OutOfMemoryError e) {
            // What was read is garbage by now; without this the source would never be asked again, and nobody told.
            reading = bad(SourceProblem.Kind.Unreadable, source.url() + ": the answers do not fit into the memory");
        } finally {
            synchronized (poll) {
                poll.running = null;
                if (reading != null) {
                    poll.answer = new Answer(reading, asked);
                }
            }
        }
        onAnswer.run();
    }

    private Reading read(TopologySource source) throws InterruptedException {
        String url = String.valueOf(source.url());
        ObjectRef ref = source.secretRef();
        String secretName = ref == null ? "" : ref.name();
        try {
            Secret secret = bytes.secret(namespace, secretName);
            if (secret == null) {
                return bad(
                        SourceProblem.Kind.Missing,
                        url + ": there is no Secret " + secretName + " in namespace " + namespace);
            }
            URI uri = URI.create(url.replaceFirst("/+$", ""));
            try (UfmClient client = new UfmClient(uri, UfmCredentials.of(secret, uri), UfmLimits.DEFAULT);
                    Reader text = client.readWithin().open()) {
                return new Reading.Success(
                        SourceType.ufm, url, SourceText.cabling(SourceType.ufm, url, text), Reading.Evidence.Polled);
            }
        } catch (UfmException e) {
            SourceProblem.Kind kind = switch (e.kind()) {
                case Unreachable -> SourceProblem.Kind.Unreachable;
                case Refused -> SourceProblem.Kind.Refused;
                case Unreadable -> SourceProblem.Kind.Unreadable;
            };
            return bad(kind, e.getMessage());
        } catch (BadInputException e) {
            return bad(SourceProblem.Kind.Unreadable, e.getMessage());
        } catch (IllegalArgumentException e) {
            return bad(SourceProblem.Kind.Unreadable, url + ": this is no URL of an appliance");
        } catch (IOException | KubernetesClientException e) {
            return bad(SourceProblem.Kind.Unreachable, url + ": " + e.getMessage());
        }
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
