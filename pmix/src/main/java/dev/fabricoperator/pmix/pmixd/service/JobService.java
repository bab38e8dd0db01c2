/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.pmix.pmixd.service;

import dev.fabricoperator.pmix.openssl.TlsTrust;
import dev.fabricoperator.pmix.pmixd.service.HttpConnection.Response;
import dev.fabricoperator.protocol.job.JobCodecException;
import dev.fabricoperator.protocol.job.JobFabricUpdate;
import dev.fabricoperator.protocol.job.JobMap;
import dev.fabricoperator.protocol.job.JobMapCodec;
import dev.fabricoperator.protocol.job.JobTicket;
import dev.fabricoperator.protocol.job.JobTicketCodec;
import dev.fabricoperator.protocol.job.PodReport;
import dev.fabricoperator.protocol.job.PodReportCodec;
import dev.fabricoperator.protocol.job.TrafficReport;
import dev.fabricoperator.protocol.job.TrafficReportCodec;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.util.List;
import java.util.concurrent.ThreadLocalRandom;
import org.jspecify.annotations.Nullable;

/** One conversation with the job service, over a connection that is kept and made again when needed. For one thread. */
public final class JobService implements AutoCloseable {
    private static final int HELD_MILLIS = 30_000;
    private static final int ANSWER_MILLIS = 10_000;
    private static final int TEXT_BYTES = 64 * 1024;
    private static final String HOSTS = "/v1/hosts";

    /** What came of asking for the job's map. */
    public sealed interface Joined {
        /**
         * The job is whole.
         *
         * @param encoded the map as it came
         */
        record Whole(JobMap map, byte[] encoded) implements Joined {}

        /** The job is whole, and another pod has the map. */
        record Ticketed(JobTicket ticket) implements Joined {}

        /** Ask again. */
        record NotYet() implements Joined {}

        /** Ask again: an attempt goes on that this pod is none of, however long that takes. */
        record AttemptGoesOn(String text) implements Joined {}

        /** It will not become whole: the launcher's exit code and a sentence. */
        record Refused(int exitCode, String text) implements Joined {}
    }

    /** The service does not know what it is told, and will not: it may be of an earlier release. */
    static final class NotUnderstoodException extends IOException {
        private static final long serialVersionUID = 1;

        private NotUnderstoodException(String sentence) {
            super(sentence);
        }
    }

    /** The service says when to ask again. */
    static final class LaterException extends IOException {
        private static final long serialVersionUID = 1;
        private static final int LONGEST_SECONDS = 30;

        private final int pauseMillis;

        private LaterException(String sentence, int seconds) {
            super(sentence);
            int most = 1_000 * Math.clamp(seconds, 1, LONGEST_SECONDS);
            // The second before: pods that are told the same do not come at the same moment.
            pauseMillis = most - ThreadLocalRandom.current().nextInt(1_000);
        }

        int pauseMillis() {
            return pauseMillis;
        }
    }

    private final ServiceSettings settings;
    private final TlsTrust trust;
    private int next;
    private @Nullable String redirected;
    private @Nullable HttpConnection connection;

    /** @param trust in the authorities of the settings; not closed with this */
    public JobService(ServiceSettings settings, TlsTrust trust) {
        this.settings = settings;
        this.trust = trust;
    }

    /** Makes the connection ahead of its use. */
    public void connect() throws IOException {
        connected();
    }

    /**
     * Asks for the map, which is held back at most 20 s.
     *
     * @param inFull whether a ticket will not do
     * @throws IOException if no answer came; the next call tries the next address
     */
    public Joined join(PodReport report, boolean inFull) throws IOException {
        String path = "/v1/join?reads=" + JobMapCodec.HIGHEST_VERSION + (inFull ? "&full=true" : "");
        Response response = exchange("POST", path, PodReportCodec.encode(report), HELD_MILLIS);
        return switch (response.status()) {
            case 200 -> {
                try {
                    yield JobTicketCodec.isTicket(response.body())
                            ? new Joined.Ticketed(JobTicketCodec.decode(response.body()))
                            : new Joined.Whole(JobMapCodec.decode(response.body()), response.body());
                } catch (JobCodecException e) {
                    throw new IOException("the job's map cannot be read: " + e.getMessage(), e);
                }
            }
            case 202 -> new Joined.AttemptGoesOn(text(response));
            case 204 -> new Joined.NotYet();
            case 408 -> new Joined.Refused(124, text(response));
            case 400, 401, 403, 404, 409, 413 -> new Joined.Refused(125, text(response));
            default -> throw unexpected(response);
        };
    }

    /**
     * Reports an event of an attempt.
     *
     * @return whether a newer attempt is wanted
     */
    public boolean report(int attempt, String event) throws IOException {
        return newer(exchange(
                "POST", "/v1/event?attempt=" + attempt, event.getBytes(StandardCharsets.UTF_8), ANSWER_MILLIS));
    }

    /**
     * Asks for the hosts of the job that this pod starts by ssh, in the order that the fabric has them.
     *
     * @return host names of pods, without a domain; those that no node has yet are missing
     * @throws IOException if no answer came, or a refusal
     */
    public List<String> hosts() throws IOException {
        Response response = exchange("GET", HOSTS, new byte[0], ANSWER_MILLIS);
        if (response.status() != 200) {
            throw unexpected(response);
        }
        return text(response).lines().toList();
    }

    /** What came of waiting for news. */
    public sealed interface Watched {
        /** Nothing yet: ask again. */
        record Nothing() implements Watched {}

        /** A newer attempt is wanted. */
        record NewerWanted() implements Watched {}

        /** Of the job's fabric. */
        record Fabric(JobFabricUpdate update) implements Watched {}

        /** Who serves the job now has not made its map, and tells of the fabric when it has been told that. */
        record MapWanted() implements Watched {}
    }

    /**
     * Waits at most 20 s for news.
     *
     * @param generation of the fabric that this pod and those below it know, negative where they are not to be told of others
     * @param pending whether they know that another one is on its way
     * @param others generations of the job's other fabrics, as {@link JobMap#otherGenerations} says them
     * @param routes as {@link JobMap#knownRoutes} says them
     * @param impaired as {@link JobFabricUpdate.Impaired#digest} says what they know of impaired links
     * @param live whether they tell once a second what they send, {@code null} where this pod is not to be told whether somebody watches
     */
    public Watched watch(
            int attempt,
            long generation,
            boolean pending,
            String others,
            String routes,
            String impaired,
            @Nullable Boolean live)
            throws IOException {
        String path = "/v1/watch?attempt=" + attempt
                + (generation < 0
                        ? ""
                        : "&fabric=" + generation + "&others=" + others + "&routes=" + routes + "&impaired=" + impaired
                                + "&reads=" + JobMapCodec.HIGHEST_VERSION)
                + (pending ? "&pending=true" : "")
                + (live == null ? "" : "&live=" + live);
        Response response = exchange("GET", path, new byte[0], HELD_MILLIS);
        if (response.status() == 202) {
            return new Watched.MapWanted();
        }
        if (response.status() != 200 || response.body().length == 0) {
            return newer(response) ? new Watched.NewerWanted() : new Watched.Nothing();
        }
        try {
            return new Watched.Fabric(JobFabricUpdate.decode(response.body()));
        } catch (JobCodecException e) {
            throw new IOException("update of the fabric cannot be read: " + e.getMessage(), e);
        }
    }

    /**
     * Tells the map that this pod, the first of its job, holds, after {@link Watched.MapWanted}.
     *
     * @throws IOException if no answer came, or a refusal
     */
    public void tellMap(JobMap map) throws IOException {
        byte[] encoded = JobMapCodec.encode(map.withoutValues());
        Response response = exchange("POST", "/v1/map?attempt=" + map.attempt(), encoded, ANSWER_MILLIS);
        if (response.status() != 204) {
            throw unexpected(response);
        }
    }

    /**
     * Tells what the pods of an attempt have sent to each other; by its first pod.
     *
     * @param last whether no other one of the attempt follows: it is taken however short ago there was one
     * @throws IOException if no answer came, or a refusal
     */
    public void tellTraffic(int attempt, boolean last, TrafficReport report) throws IOException {
        String path = "/v1/traffic?attempt=" + attempt + (last ? "&last=true" : "");
        newer(exchange("POST", path, TrafficReportCodec.encode(report), ANSWER_MILLIS));
    }

    private static boolean newer(Response response) throws IOException {
        if (response.status() == 205) {
            return true;
        }
        if (response.status() != 204 && response.status() != 200) {
            throw unexpected(response);
        }
        return false;
    }

    private static IOException unexpected(Response response) {
        String text = text(response);
        String sentence = "it answers " + response.status() + (text.isEmpty() ? "" : ": " + text);
        if (response.status() == 400 || response.status() == 404 || response.status() == 413) {
            return new NotUnderstoodException(sentence);
        }
        String seconds = response.headers().get("retry-after");
        return seconds != null && seconds.matches("[0-9]{1,4}")
                ? new LaterException(sentence, Integer.parseInt(seconds))
                : new IOException(sentence);
    }

    private static String text(Response response) {
        return new String(response.body(), StandardCharsets.UTF_8).strip();
    }

    /** Follows redirections to the replica that has the job, and leaves a connection that failed. */
    private Response exchange(String method, String path, byte[] body, int timeoutMillis) throws IOException {
        String asked = path;
        for (int hops = 0; hops < 4; hops++) {
            boolean kept = connection != null && connection.isReusable();
            Response response;
            try {
                response = once(method, asked, body, timeoutMillis);
            } catch (IOException e) {
                drop();
                if (kept) {
                    // The server may have closed it while it was idle: that says nothing about the server.
                    continue;
                }
                redirected = null;
                next++;
                throw e;
            }
            String location = response.headers().get("location");
            if (response.status() != 307 || location == null) {
                return response;
            }
            drop();
            redirected = authority(location);
            asked = location.substring("https://".length() + redirected.length());
        }
        redirected = null;
        throw new IOException("redirected in a circle");
    }

    private Response once(String method, String path, byte[] body, int timeoutMillis) throws IOException {
        HttpConnection to = connected();
        String token = Files.readString(settings.tokenFile(), StandardCharsets.US_ASCII)
                .strip();
        String head = method + ' ' + path + " HTTP/1.1\r\nHost: " + settings.serverName() + "\r\nAuthorization: Bearer "
                + token + "\r\nContent-Type: application/octet-stream\r\n";
        boolean isLong = path.startsWith("/v1/join") || path.startsWith("/v1/watch") || path.equals(HOSTS);
        int longest = isLong ? JobMapCodec.LONGEST_BYTES : TEXT_BYTES;
        Response response = to.exchange(head, body, timeoutMillis, longest);
        if (!to.isReusable()) {
            drop();
        }
        return response;
    }

    private HttpConnection connected() throws IOException {
        HttpConnection current = connection;
        if (current != null && current.isReusable()) {
            return current;
        }
        drop();
        HttpConnection fresh = new HttpConnection(trust, address(), settings.serverName());
        connection = fresh;
        return fresh;
    }

    /** The address that is tried now, for a sentence. */
    public String target() {
        String other = redirected;
        return other != null
                ? other
                : settings.addresses().get(next % settings.addresses().size());
    }

    private InetSocketAddress address() throws IOException {
        String authority = target();
        int colon = authority.lastIndexOf(':');
        String host = colon < 0 ? authority : authority.substring(0, colon);
        if (host.startsWith("[") && host.endsWith("]")) {
            host = host.substring(1, host.length() - 1);
        }
        InetSocketAddress address;
        try {
            address = new InetSocketAddress(host, colon < 0 ? 443 : Integer.parseInt(authority.substring(colon + 1)));
        } catch (IllegalArgumentException e) {
            throw new IOException("not an address: " + authority, e);
        }
        if (address.isUnresolved()) {
            throw new IOException("the name " + host + " cannot be resolved");
        }
        return address;
    }

    /** {@code host:port} of a URL. */
    static String authority(String location) throws IOException {
        String scheme = "https://";
        if (!location.startsWith(scheme)) {
            throw new IOException("redirected to something else than https");
        }
        int end = location.indexOf('/', scheme.length());
        return location.substring(scheme.length(), end < 0 ? location.length() : end);
    }

    private void drop() {
        if (connection != null) {
            connection.close();
            connection = null;
        }
    }

    @Override
    public void close() {
        drop();
    }
}
