/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.pmix.pmixd;

import dev.fabricoperator.pmix.openssl.TestKeys;
import dev.fabricoperator.protocol.job.EndpointTemplate;
import dev.fabricoperator.protocol.job.JobApp;
import dev.fabricoperator.protocol.job.JobCodecException;
import dev.fabricoperator.protocol.job.JobDevice;
import dev.fabricoperator.protocol.job.JobFabric;
import dev.fabricoperator.protocol.job.JobFabricUpdate;
import dev.fabricoperator.protocol.job.JobMap;
import dev.fabricoperator.protocol.job.JobMapCodec;
import dev.fabricoperator.protocol.job.JobPeer;
import dev.fabricoperator.protocol.job.JobPod;
import dev.fabricoperator.protocol.job.JobTicket;
import dev.fabricoperator.protocol.job.JobTicketCodec;
import dev.fabricoperator.protocol.job.MeshShape;
import dev.fabricoperator.protocol.job.PodReport;
import dev.fabricoperator.protocol.job.PodReportCodec;
import dev.fabricoperator.protocol.job.RunRequest;
import java.io.BufferedInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.SecureRandom;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Queue;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLServerSocket;
import javax.net.ssl.SSLSocket;
import org.jspecify.annotations.Nullable;

/**
 * The job service's protocol over real TLS, for one job of so many pods, whose names are their tokens. It assembles as the
 * real one does: held until whole, a new attempt when a pod comes with another instance or asks for a later one. Where the first pod asks
 * for a run of mpirun, the others get its ranks in their order, by their slots.
 */
public final class PlayedJobService implements AutoCloseable {
    /** MPI ranks that wait for a message use a processor; those of two tests leave none for their servers. */
    static final String PROCESSORS = "processors";

    /** JUnit's first thread begins at the end of the order, the others at its beginning: classes that wait for each other anyway all go to it. */
    static final int ON_THE_FIRST_THREAD = Integer.MAX_VALUE;

    public static final String SERVER_NAME = "fabric-operator-jobs.test.svc";

    private static final long HELD_MILLIS = 3_000;

    private static @Nullable Identity identity;

    private record Identity(SSLContext tls, String pem) {}

    private final Path directory;
    private final SSLServerSocket server;
    private final int pods;
    private final Map<String, PodReport> reports = new TreeMap<>();
    private final List<String> events = new CopyOnWriteArrayList<>();
    private int attempt = -1;
    private byte @Nullable [] whole;
    private final Map<String, String> givenOut = new HashMap<>();
    private @Nullable String refusal;
    private String refusalStatus = "409 Conflict";
    private final Map<String, ArrayDeque<String>> firstAnswers = new HashMap<>();
    private volatile @Nullable String unknownEvent;
    private volatile boolean crowd;
    private volatile boolean handsOn;
    private volatile @Nullable Path generations;
    private volatile @Nullable JobMap heldByFirst;
    private volatile byte @Nullable [] traffic;
    private final Queue<byte[]> trafficReports = new ConcurrentLinkedQueue<>();
    private volatile int reportsWanted;
    private final Queue<String> trafficRefusals = new ConcurrentLinkedQueue<>();

    public PlayedJobService(Path directory, int pods) throws IOException, GeneralSecurityException {
        this.directory = directory;
        this.pods = pods;
        Identity own = identity();
        server = (SSLServerSocket)
                own.tls().getServerSocketFactory().createServerSocket(0, 100, InetAddress.getLoopbackAddress());
        Files.writeString(directory.resolve("ca.pem"), own.pem());
        daemon(this::accept);
    }

    /** Made once in a process, since a keytool costs a second. */
    private static synchronized Identity identity() throws IOException, GeneralSecurityException {
        Identity made = identity;
        if (made == null) {
            Path directory = Files.createTempDirectory("played-job-service");
            Path store = directory.resolve("service.p12");
            try {
                TestKeys keys = new TestKeys(store);
                keys.make("service", "service", "-ext", "san=dns:" + SERVER_NAME);
                made = new Identity(keys.server("service"), keys.pem("service"));
            } finally {
                Files.deleteIfExists(store);
                Files.delete(directory);
            }
            identity = made;
        }
        return made;
    }

    private static void daemon(Runnable task) {
        Thread thread = new Thread(task, "played-job-service");
        thread.setDaemon(true);
        thread.start();
    }

    /** For pmixd's environment. */
    public Map<String, String> environment() throws IOException {
        Map<String, String> environment = new HashMap<>();
        environment.put(
                "FABRIC_JOB_SERVICE", "https://127.0.0.1:" + server.getLocalPort() + ",https://" + SERVER_NAME + ":1");
        environment.put("FABRIC_JOB_SERVICE_CA", Files.readString(directory.resolve("ca.pem")));
        return environment;
    }

    public List<String> events() {
        return events;
    }

    /** From now on every pod is told that the job cannot be launched. */
    public synchronized void refuse(String text) {
        refusal = text;
        notifyAll();
    }

    /** From now on every pod is told that the assembly timeout is over. */
    public synchronized void expire(String text) {
        refusalStatus = "408 Request Timeout";
        refuse(text);
    }

    /** What a pod that asks to join is answered at first, one after the other, before it is heard: status and reason, which is the text as well. */
    public synchronized void answerFirst(String pod, List<String> answers) {
        firstAnswers.put(pod, new ArrayDeque<>(answers));
    }

    /** Of those, how many it has not asked for yet. */
    public synchronized int answersLeft(String pod) {
        return Objects.requireNonNull(firstAnswers.get(pod)).size();
    }

    private synchronized @Nullable String firstAnswer(String pod) {
        ArrayDeque<String> answers = firstAnswers.get(pod);
        return answers == null ? null : answers.poll();
    }

    private void accept() {
        try {
            while (true) {
                SSLSocket socket = (SSLSocket) server.accept();
                daemon(() -> converse(socket));
            }
        } catch (IOException e) {
            // Closed: the test is over.
        }
    }

    private void converse(SSLSocket socket) {
        try (socket) {
            InputStream in = new BufferedInputStream(socket.getInputStream());
            while (true) {
                String start = line(in);
                int length = 0;
                String token = "";
                for (String header = line(in); !header.isEmpty(); header = line(in)) {
                    if (header.startsWith("Content-Length: ")) {
                        length = Integer.parseInt(header.substring(16));
                    } else if (header.startsWith("Authorization: Bearer ")) {
                        token = header.substring(22);
                    }
                }
                answer(socket.getOutputStream(), start, token, in.readNBytes(length));
            }
        } catch (IOException | InterruptedException e) {
            // The pod has gone.
        }
    }

    private static String line(InputStream in) throws IOException {
        ByteArrayOutputStream line = new ByteArrayOutputStream();
        int next = in.read();
        while (next != '\n') {
            if (next < 0) {
                throw new IOException("closed");
            }
            line.write(next);
            next = in.read();
        }
        return line.toString(StandardCharsets.US_ASCII).strip();
    }

    private void answer(OutputStream out, String start, String pod, byte[] body)
            throws IOException, InterruptedException {
        if (start.startsWith("POST /v1/join")) {
            join(out, pod, PodReportCodec.decode(body), start.contains("full=true"));
        } else if (start.startsWith("POST /v1/event")) {
            String event = new String(body, StandardCharsets.UTF_8);
            String unknown = unknownEvent;
            events.add(pod + ' ' + event);
            if (unknown != null && event.startsWith(unknown)) {
                respond(out, "400 Bad Request", "not an event".getBytes(StandardCharsets.US_ASCII));
            } else {
                respond(out, "204 No Content", new byte[0]);
            }
        } else if (start.startsWith("POST /v1/map")) {
            heldByFirst = JobMapCodec.decode(body);
            respond(out, "204 No Content", new byte[0]);
        } else if (start.startsWith("POST /v1/traffic")) {
            traffic = body;
            trafficReports.add(body);
            String refusal = trafficRefusals.poll();
            respond(
                    out,
                    refusal == null ? "204 No Content" : refusal,
                    refusal == null ? new byte[0] : "refused".getBytes(StandardCharsets.US_ASCII));
        } else if (start.contains("&live=" + !isWatched())) {
            respond(out, "200 OK", new JobFabricUpdate.TrafficWanted(isWatched()).encoded());
        } else if (start.contains("&fabric=2") && heldByFirst == null) {
            respond(out, "202 Accepted", new byte[1]);
        } else if (start.contains("&fabric=")) {
            byte[] update = fabricUpdate(start);
            respond(out, update.length == 0 ? "204 No Content" : "200 OK", update);
        } else {
            respond(out, newerIsWanted() ? "205 Reset Content" : "204 No Content", new byte[0]);
        }
    }

    /** From now on somebody watches what the job sends, until it was told so often. */
    public void watchUntil(int reports) {
        reportsWanted = reports;
    }

    private boolean isWatched() {
        return trafficReports.size() < reportsWanted;
    }

    /** All that the first pod has told of what all have sent. */
    public List<byte[]> trafficReports() {
        return List.copyOf(trafficReports);
    }

    /** To who tells what has been sent, one after the other: status and reason. */
    public Queue<String> trafficRefusals() {
        return trafficRefusals;
    }

    /** From now on events of a kind are not understood, as by an earlier release. */
    public void doNotUnderstand(String event) {
        unknownEvent = event;
    }

    /** From now on each pod is handed a map at once: of a job in which all other pods exist on paper only. */
    public void playCrowd() {
        crowd = true;
    }

    /** From now on the first pod alone is sent the map, and the others hand it on, as in large jobs. */
    public void playHandingOn() {
        handsOn = true;
    }

    /**
     * From now on maps have a fabric of generation 1 with two planes; generation 2 holds when there is a file {@code generation-2}, and so on. In an
     * even generation the last pod's device of plane-0 stands elsewhere and is reached by another address than in the one before; in an odd one
     * only costs of plane-1 are others. Who knows generation 2 is told nothing, as after a restart, before it has told its map. The first device of the
     * second pod is impaired from when there is a file {@code impaired} until there is a file {@code restored}.
     */
    public void playFabric(Path directory) {
        generations = directory;
    }

    /** What the first pod has told of what all have sent, {@code null} for nothing. */
    public byte @Nullable [] traffic() {
        return traffic;
    }

    /** What the first pod has told of its map, {@code null} for nothing. */
    public @Nullable JobMap heldByFirst() {
        return heldByFirst;
    }

    private byte[] fabricUpdate(String question) throws IOException, InterruptedException {
        long known = Long.parseLong(question.replaceAll(".*&fabric=([0-9]+).*", "$1"));
        Path directory = Objects.requireNonNull(generations);
        long deadline = System.currentTimeMillis() + HELD_MILLIS;
        while (System.currentTimeMillis() < deadline) {
            if (Files.exists(directory.resolve("generation-" + (known + 1)))) {
                if (!question.contains("&pending=true")) {
                    return new JobFabricUpdate.Pending().encoded();
                }
                synchronized (this) {
                    return ofGeneration(JobMapCodec.decode(Objects.requireNonNull(whole)), known + 1);
                }
            }
            JobFabricUpdate.Impaired impaired = new JobFabricUpdate.Impaired(
                    Files.exists(directory.resolve("impaired")) && !Files.exists(directory.resolve("restored"))
                            ? List.of(new JobFabricUpdate.ImpairedDevice(
                                    1, "fab://pod-10", "mlx5_0 port 1 of node-1: 40 symbol errors in 2 s"))
                            : List.of());
            if (!question.contains("&impaired=" + impaired.digest())) {
                return impaired.encoded();
            }
            Thread.sleep(5);
        }
        return new byte[0];
    }

    private static byte[] ofGeneration(JobMap map, long generation) {
        List<JobPod> pods = new ArrayList<>();
        int last = map.pods().size() - 1;
        int moved = (int) generation / 2;
        for (JobPod pod : map.pods()) {
            List<JobDevice> devices = new ArrayList<>();
            for (int plane = 0; plane < 2; plane++) {
                int move = plane == 0 && pods.size() == last ? moved : 0;
                byte[] gid = new byte[16];
                gid[15] = (byte) (pods.size() + 100 * move);
                devices.add(new JobDevice(
                        "fab://" + pod.name() + plane,
                        "mlx5_" + plane,
                        8,
                        List.of(),
                        2 * pods.size() + plane,
                        "plane-" + plane,
                        "leaf-" + plane + move,
                        new int[] {move, pods.size()},
                        new int[0],
                        10,
                        10,
                        new EndpointTemplate(EndpointTemplate.Format.FI_SOCKADDR_IB, gid, 0, 1)));
            }
            pods.add(new JobPod(
                    pod.name(),
                    pod.host(),
                    pod.app(),
                    pod.firstRank(),
                    pod.rankCount(),
                    pod.address(),
                    pod.port(),
                    pod.cpuset(),
                    devices));
        }
        int devices = 2 * pods.size();
        short[] costs = new short[devices * devices];
        for (int from = 0; from < devices; from++) {
            for (int to = 0; to < devices; to++) {
                // Those of plane-1 are others in every odd generation, those of plane-0 in every even one.
                long change = from % 2 == 0 ? generation / 2 : (generation + 1) / 2;
                costs[from * devices + to] = (short) (from == to ? 0 : 100 * change + from % 2);
            }
        }
        JobFabric fabric = new JobFabric(
                "infiniband-0",
                "NVIDIA",
                "infiniband-0",
                3,
                generation,
                List.of(
                        new JobFabric.Plane("plane-0", 2, new int[] {2, pods.size()}, "2x" + pods.size()),
                        new JobFabric.Plane("plane-1", 2, new int[] {2, pods.size()}, "2x" + pods.size())),
                List.of("leaf-00", "leaf-10"),
                "0:generation" + generation,
                devices,
                costs,
                Map.of());
        return JobMapCodec.encode(new JobMap(map.nspace(), map.attempt(), map.key(), map.apps(), pods, fabric));
    }

    private static byte[] ticket(byte[] encoded, String pod) throws IOException {
        JobMap map = JobMapCodec.decode(encoded);
        int self = map.indexOf(pod);
        int pods = map.pods().size();
        return self == 0
                ? encoded
                : JobTicketCodec.encode(new JobTicket(
                        map.nspace(),
                        map.attempt(),
                        map.key(),
                        self,
                        pods,
                        JobPeer.of(map.pods().get(new MeshShape(pods).parent(self))),
                        JobTicketCodec.digestOf(encoded)));
    }

    private void join(OutputStream out, String pod, PodReport report, boolean inFull)
            throws IOException, InterruptedException {
        if (crowd) {
            Map<String, PodReport> all = new TreeMap<>(Map.of(pod, report));
            for (int other = 1; other < pods; other++) {
                byte[] address = {127, 1, (byte) (other >> 8), (byte) other};
                all.put(
                        "zone-pod-" + other,
                        new PodReport(report.instance(), -1, address, 7471, report.ranks(), "0", "", report.devices()));
            }
            respond(out, "200 OK", encode(all, 0));
            return;
        }
        String first = firstAnswer(pod);
        if (first != null) {
            if (first.startsWith("202")) {
                Thread.sleep(HELD_MILLIS / 4);
            }
            respond(out, first, first.startsWith("204") ? new byte[0] : first.getBytes(StandardCharsets.UTF_8));
            return;
        }
        byte[] map;
        String refused;
        synchronized (this) {
            reports.put(pod, report);
            assemble();
            long deadline = System.currentTimeMillis() + HELD_MILLIS;
            while (!isFor(pod, report) && refusal == null && System.currentTimeMillis() < deadline) {
                wait(100);
            }
            map = isFor(pod, report) ? whole : null;
            refused = refusal;
        }
        if (refused != null) {
            respond(out, refusalStatus, refused.getBytes(StandardCharsets.UTF_8));
        } else if (map == null) {
            respond(out, "204 No Content", new byte[0]);
        } else {
            respond(out, "200 OK", handsOn && !inFull ? ticket(map, pod) : map);
        }
    }

    /** Whether some pod has come again since the last map, waited for as long as requests are held. */
    private synchronized boolean newerIsWanted() throws InterruptedException {
        long deadline = System.currentTimeMillis() + HELD_MILLIS;
        while (System.currentTimeMillis() < deadline) {
            for (Map.Entry<String, PodReport> each : reports.entrySet()) {
                if (!isFor(each.getKey(), each.getValue())) {
                    return true;
                }
            }
            wait(100);
        }
        return false;
    }

    private static String idOf(PodReport report) {
        return HexFormat.of().formatHex(report.instance()) + ':' + report.after();
    }

    private boolean isFor(String pod, PodReport report) {
        return whole != null && idOf(report).equals(givenOut.get(pod));
    }

    /** A new attempt, once every pod has asked for one: nobody is left who only has the map that was given out. */
    private void assemble() {
        if (reports.size() < pods) {
            return;
        }
        for (Map.Entry<String, PodReport> each : reports.entrySet()) {
            if (isFor(each.getKey(), each.getValue())) {
                return;
            }
        }
        attempt++;
        givenOut.clear();
        reports.forEach((pod, report) -> givenOut.put(pod, idOf(report)));
        byte[] made = encode(reports, attempt);
        try {
            whole = generations == null ? made : ofGeneration(JobMapCodec.decode(made), 1);
        } catch (JobCodecException e) {
            throw new IllegalStateException(e);
        }
        notifyAll();
    }

    private static byte[] encode(Map<String, PodReport> reports, int attempt) {
        byte[] key = new byte[32];
        new SecureRandom().nextBytes(key);
        List<JobPod> members = new ArrayList<>();
        int rank = 0;
        RunRequest run = reports.values().iterator().next().run();
        int left = run == null || run.ranks() == 0 ? Integer.MAX_VALUE : run.ranks();
        for (Map.Entry<String, PodReport> each : reports.entrySet()) {
            PodReport report = each.getValue();
            int ranks = Math.min(left, report.ranks());
            left -= ranks;
            List<JobDevice> devices = new ArrayList<>();
            report.devices().forEach(device -> devices.add(device(each.getKey(), device)));
            members.add(new JobPod(
                    each.getKey(), "host", 0, rank, ranks, report.address(), report.port(), report.cpuset(), devices));
            rank += ranks;
        }
        return JobMapCodec.encode(new JobMap(
                "test.job-0f4e8a26-" + attempt, attempt, key, List.of(new JobApp(0, "job", rank)), members, null));
    }

    private static JobDevice device(String pod, PodReport.OpenDevice device) {
        String id = device.macAddress() == null ? device.osName() + "@" + pod : "ipv4://" + device.macAddress();
        return new JobDevice(
                id,
                device.osName(),
                2,
                List.of(),
                -1,
                null,
                null,
                new int[0],
                new int[0],
                65535,
                65535,
                device.endpoint());
    }

    private static void respond(OutputStream out, String status, byte[] body) throws IOException {
        String head = "HTTP/1.1 " + status + "\r\n"
                + (body.length == 0 ? "" : "Content-Length: " + body.length + "\r\n") + "\r\n";
        ByteArrayOutputStream response = new ByteArrayOutputStream();
        response.writeBytes(head.getBytes(StandardCharsets.US_ASCII));
        response.writeBytes(body);
        out.write(response.toByteArray());
    }

    @Override
    public void close() throws IOException {
        server.close();
    }

    /**
     * For scripts: {@code DIRECTORY PODS [--crowd|--fabric]}; writes {@code ca.pem} and, when it serves, {@code port} there, and stays.
     * With {@code --crowd} as {@link #playCrowd}, with {@code --fabric} as {@link #playFabric}.
     */
    public static void main(String[] arguments) throws Exception {
        Path directory = Path.of(arguments[0]);
        PlayedJobService service = new PlayedJobService(directory, Integer.parseInt(arguments[1]));
        switch (arguments.length > 2 ? arguments[2] : "") {
            case "--crowd" -> service.playCrowd();
            case "--fabric" -> service.playFabric(directory);
            default -> {}
        }
        Path port = directory.resolve("port.new");
        Files.writeString(port, Integer.toString(service.server.getLocalPort()));
        Files.move(port, directory.resolve("port"));
        Thread.currentThread().join();
    }
}
