/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.e2e.query;

import static dev.fabricoperator.e2e.junit.Eventually.eventually;
import static dev.fabricoperator.e2e.query.Answers.assertCause;
import static dev.fabricoperator.e2e.query.Answers.assertRefused;
import static dev.fabricoperator.e2e.query.Answers.assertSame;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.tuple;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.fabricoperator.crds.Fabric;
import dev.fabricoperator.crds.FabricDevice;
import dev.fabricoperator.crds.FabricStatus;
import dev.fabricoperator.e2e.cli.CommandLineProgram;
import dev.fabricoperator.e2e.cluster.ControlPlane;
import dev.fabricoperator.e2e.cluster.ProjectRoot;
import dev.fabricoperator.e2e.junit.WithControlPlane;
import dev.fabricoperator.e2e.operator.OperatorProcess;
import dev.fabricoperator.e2e.operator.SmallFabric;
import dev.fabricoperator.e2e.system.Command;
import dev.fabricoperator.fabric.coordinate.View;
import dev.fabricoperator.fabric.cost.CostMatrix;
import dev.fabricoperator.fabric.model.FabricModel;
import dev.fabricoperator.fabric.query.FabricQuery;
import io.fabric8.kubernetes.client.dsl.base.PatchContext;
import io.fabric8.kubernetes.client.dsl.base.PatchType;
import java.io.BufferedReader;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.http.HttpResponse;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.zip.GZIPInputStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.MethodOrderer;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.TestMethodOrder;
import org.junit.jupiter.api.io.TempDir;

/** The query API over plain HTTPS; tests that change the fabric come last. */
@WithControlPlane(own = true)
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@TestMethodOrder(MethodOrderer.OrderAnnotation.class)
class QueryApiTest {
    private static final ObjectMapper JSON = new ObjectMapper();
    private static final int LAST = Integer.MAX_VALUE;

    @TempDir
    static Path directory;

    private QueryCase cluster;
    private OperatorProcess server;
    private QueryClient viewer;

    @BeforeAll
    void start(ControlPlane controlPlane) {
        cluster = new QueryCase(controlPlane, directory);
        server = cluster.startServer();
        viewer = cluster.client(server, cluster.users.viewer("viewer"));
        cluster.awaitServed(viewer);
    }

    @AfterAll
    void stop() throws Exception {
        cluster.close();
    }

    private static String path(String below) {
        return QueryCase.path(below);
    }

    @Test
    void whoHasNoTokenOrMayNotIsTold() {
        QueryClient nobody = cluster.client(server, null);
        assertRefused(nobody.get(path("cost")), 401, "Unauthorized");
        assertThat(nobody.get(path("cost")).headers().firstValue("WWW-Authenticate"))
                .hasValue("Bearer");
        assertRefused(cluster.client(server, "no.token.atall").get(path("cost")), 401, "Unauthorized");
        QueryClient stranger = cluster.client(server, cluster.users.stranger("stranger"));
        JsonNode status = assertRefused(stranger.get(path("cost?row=0")), 403, "Forbidden");
        assertThat(status.path("message").asText())
                .isEqualTo("user 'system:serviceaccount:default:stranger' may not get fabrics/cost 'infiniband-0' of"
                        + " query.fabric-operator.dev");
    }

    @Test
    void theProbeOfHelmTestTellsWhetherAServerAnswersAndWhyNot() throws IOException {
        Command probe = new Command(
                List.of(
                        Path.of(System.getProperty("java.home"), "bin/java").toString(),
                        "-cp",
                        ProjectRoot.find()
                                .resolve("operator/target/quarkus-app/operator.jar")
                                .toString(),
                        "dev.fabricoperator.operator.probe.QueryProbe",
                        server.query().toString()),
                Map.of());
        String authority = Files.writeString(directory.resolve("authority.crt"), cluster.cluster.authorityPem())
                .toString();
        String token = Files.writeString(directory.resolve("probe.token"), cluster.users.stranger("probe"))
                .toString();
        String noToken = Files.writeString(directory.resolve("no.token"), "no.token.atall")
                .toString();

        assertThat(probe.run(authority, token, "60")).endsWith("v1alpha1 answers\n");
        assertThatThrownBy(() -> probe.run(authority, noToken, "1")).hasMessageContaining("does not answer: 401");
        Path another = cluster.cluster.directory().resolve("pki/front-proxy-ca.crt");
        assertThatThrownBy(() -> probe.run(another.toString(), token, "1"))
                .hasMessageContaining("does not answer: javax.net.ssl.SSLHandshakeException");
    }

    @Test
    void aTokenOfAnAccountThatIsGoneIsWorthNothingAnyMore() {
        QueryClient leaver = cluster.client(server, cluster.users.viewer("leaver"));
        assertThat(leaver.get(path("groups")).statusCode()).isEqualTo(200);
        cluster.users.delete("leaver");
        eventually(() -> assertThat(leaver.get(path("groups")).statusCode()).isEqualTo(401));
    }

    @Test
    void anExpiredTokenIsRefusedAndTheSameClaimsWithAFutureEndAreNot() throws Exception {
        String token = cluster.users.viewer("late");
        SignedTokens tokens = new SignedTokens(cluster.cluster.directory());
        assertThat(cluster.client(server, tokens.endingIn(token, 600))
                        .get(path("groups"))
                        .statusCode())
                .isEqualTo(200);
        assertRefused(cluster.client(server, tokens.endingIn(token, -60)).get(path("groups")), 401, "Unauthorized");
    }

    @Test
    void headersThatNameAUserCountForNothingWithoutTheFrontProxysCertificate() {
        QueryClient nobody = cluster.client(server, null);
        assertRefused(
                nobody.get(path("cost"), "X-Remote-User", "admin", "X-Remote-Group", "system:masters"),
                401,
                "Unauthorized");
        QueryClient stranger = cluster.client(server, cluster.users.stranger("forger"));
        assertRefused(
                stranger.get(path("cost"), "X-Remote-User", "admin", "X-Remote-Group", "system:masters"),
                403,
                "Forbidden");
    }

    @Test
    void costsAreThoseOfTheModelInEveryFormat() throws IOException {
        CostMatrix matrix = cluster.model().cost();
        int n = matrix.vertices();
        assertThat(n).isEqualTo(SmallFabric.HOSTS);
        HttpResponse<byte[]> whole = viewer.get(path("cost"), "Accept", "application/octet-stream");
        assertThat(whole.headers().firstValue("ETag")).hasValue('"' + matrix.digest() + '"');
        assertThat(whole.headers().firstValue("Fabric-Generation")).hasValue(Long.toString(cluster.generation()));
        ByteBuffer numbers = ByteBuffer.wrap(whole.body()).order(ByteOrder.LITTLE_ENDIAN);
        assertThat(whole.body()).hasSize(2 * n * n);
        for (int from = 0; from < n; from++) {
            for (int to = 0; to < n; to++) {
                assertThat(Short.toUnsignedInt(numbers.getShort())).isEqualTo(matrix.cost(from, to));
            }
        }
        byte[] npy = viewer.get(path("cost?format=npy")).body();
        assertThat(new String(npy, 0, 128, StandardCharsets.ISO_8859_1))
                .contains("'descr': '<u2'")
                .contains("(8, 8)");
        assertThat(java.util.Arrays.copyOfRange(npy, 128, npy.length)).isEqualTo(whole.body());
        assertThat(java.util.Arrays.copyOfRange(whole.body(), 2 * n * 3, 2 * n * 4))
                .isEqualTo(viewer.get(path("cost?row=3&format=binary")).body());
        JsonNode json = viewer.json(path("cost"));
        assertThat(json.path("costs").path(2).path(7).asInt()).isEqualTo(matrix.cost(2, 7));
        JsonNode block = viewer.json(path("cost?rows=1,4-5&cols=0-2"));
        assertThat(block.path("rows").toString()).isEqualTo("[1,4,5]");
        assertThat(block.path("costs").path(1).path(2).asInt()).isEqualTo(matrix.cost(4, 2));
        JsonNode row = viewer.json(path("cost?row=0"));
        assertThat(row.fieldNames()).toIterable().containsExactly("from", "generation", "costs");
        assertThat(row.path("costs").path(5).fieldNames())
                .toIterable()
                .containsExactly("to", "port", "device", "index", "cost");
        assertThat(row.path("costs").path(5).path("cost").asInt()).isEqualTo(matrix.cost(0, 5));
        JsonNode pair = viewer.json(path("cost?from=n1/mlx5_0&to=" + SmallFabric.deviceName(8)));
        assertThat(pair.fieldNames())
                .toIterable()
                .containsExactly("from", "to", "generation", "cost", "fromDevice", "toDevice");
    }

    @Test
    void switchLevelMatrixAndMapGiveTheWholeMatrix() {
        CostMatrix matrix = cluster.model().cost();
        JsonNode level = viewer.json(path("cost?level=switch"));
        for (int from = 0; from < matrix.vertices(); from++) {
            for (int to = 0; to < matrix.vertices(); to++) {
                int between = level.path("costs")
                        .path(level.path("switchOf").path(from).asInt())
                        .path(level.path("switchOf").path(to).asInt())
                        .asInt();
                int sum = between
                        + level.path("deviceCosts").path(from).asInt()
                        + level.path("deviceCosts").path(to).asInt();
                assertThat(from == to ? 0 : sum).isEqualTo(matrix.cost(from, to));
            }
        }
    }

    @Test
    void nodeLevelMatrixHoldsTheBestPairOfEachTwoNodes() {
        CostMatrix matrix = cluster.model().cost();
        JsonNode level = viewer.json(path("cost?level=node"));
        assertThat(level.path("from")).hasSize(SmallFabric.HOSTS).isEqualTo(level.path("to"));
        for (int from = 0; from < SmallFabric.HOSTS; from++) {
            for (int to = 0; to < SmallFabric.HOSTS; to++) {
                // One device each, in slots that ascend as the names do.
                assertThat(level.path("costs").path(from).path(to).asInt()).isEqualTo(matrix.cost(from, to));
            }
        }
        HttpResponse<byte[]> numbers = viewer.get(path("cost?level=node&nodes=n8,n1&format=binary"));
        assertThat(numbers.headers().firstValue("Fabric-Cost-Level")).hasValue("node");
        assertThat(numbers.body()).isEqualTo(new byte[] {0, 0, 40, 0, 40, 0, 0, 0});
        assertThat(viewer.get(path("cost?level=node&nodes=n1,nobody")).statusCode())
                .isEqualTo(404);
        assertThat(viewer.get(path("cost?level=node&rows=0")).statusCode()).isEqualTo(400);
        assertThat(viewer.get(path("cost?nodes=n1")).statusCode()).isEqualTo(400);
    }

    @Test
    void whatHasNotChangedIsNotSentAgainAndWhatIsLongIsCompressed() throws IOException {
        String etag = viewer.get(path("cost?format=binary"))
                .headers()
                .firstValue("ETag")
                .orElseThrow();
        HttpResponse<byte[]> again = viewer.get(path("cost?format=binary"), "If-None-Match", etag);
        assertThat(again.statusCode()).isEqualTo(304);
        assertThat(again.body()).isEmpty();
        assertThat(viewer.get(path("cost?format=binary"), "If-None-Match", "\"other\"")
                        .statusCode())
                .isEqualTo(200);
        HttpResponse<byte[]> packed = viewer.get(path("topology"), "Accept-Encoding", "gzip");
        assertThat(packed.headers().firstValue("Content-Encoding")).hasValue("gzip");
        JsonNode topology = JSON.readTree(new GZIPInputStream(new ByteArrayInputStream(packed.body())));
        assertThat(topology.path("kind").asText()).isEqualTo("List");
        assertThat(topology.path("items")).hasSize(1 + 3 + SmallFabric.HOSTS);
    }

    @Test
    void levelsAreThoseOfTheSpecWithWhatIsKnownOfThem() {
        setLevels("[{\"name\": \"bulk-data\", \"serviceLevel\": 1, \"default\": true}]");
        eventually(() -> {
            JsonNode level = viewer.json(path("levels")).at("/levels/0");
            assertThat(level.path("name").asText()).isEqualTo("bulk-data");
            assertThat(level.path("serviceLevel").asInt()).isEqualTo(1);
            assertThat(level.path("default").asBoolean()).isTrue();
            assertThat(level.has("offered")).isFalse();
            assertThat(level.path("reason").asText()).contains("no source reads it back");
        });
        setLevels("null");
        eventually(() -> assertThat(viewer.json(path("levels")).path("levels")).isEmpty());
    }

    private void setLevels(String json) {
        cluster.admin
                .resources(Fabric.class)
                .withName(QueryCase.FABRIC)
                .patch(PatchContext.of(PatchType.JSON_MERGE), "{\"spec\": {\"levels\": " + json + "}}");
    }

    @Test
    void placesAreThoseOfTheModel() throws JsonProcessingException {
        FabricModel model = cluster.model();
        FabricQuery query = new FabricQuery(model);
        JsonNode vertex = viewer.json(path("vertices/2"));
        String deviceId = vertex.path("deviceId").asText();
        assertThat(vertex.path("device").asText()).startsWith("n").endsWith("-mlx5-0-1");
        assertThat(viewer.json(path("vertices?deviceId=" + deviceId))).isEqualTo(vertex);
        assertThat(viewer.json(path("vertices?device=" + vertex.path("device").asText())))
                .isEqualTo(vertex);
        assertThat(viewer.json(path("vertices")).path("devices")).hasSize(SmallFabric.HOSTS);
        for (View view : View.values()) {
            assertSame(viewer.json(path("devices/2/geometry?view=" + view)), query.geometry(2, view));
        }
        assertThat(viewer.json(path("paths?from=0&to=7")).path("cost").asInt())
                .isEqualTo(model.cost().cost(0, 7));
        assertThat(viewer.json(path("groups")).path("string").asText()).isEqualTo(FabricQuery.string(query.groups()));
        JsonNode peers = viewer.json(path("devices/" + SmallFabric.deviceName(1) + "/switch"));
        List<Integer> slots = new ArrayList<>();
        peers.path("peers").forEach(peer -> slots.add(peer.path("index").asInt()));
        assertThat(slots)
                .isEqualTo(query.switchPeers(peers.path("index").asInt()))
                .hasSize(4);
        assertThat(viewer.json(path("switches")).path("switches")).hasSize(3);
        assertThat(viewer.json(path("tiers")).path("vertices"))
                .extracting(
                        one -> one.path("tierName").asText(),
                        one -> one.path("nodes").size())
                .containsExactly(tuple("leaf", 4), tuple("leaf", 4), tuple("infiniband-0", 0));
        assertThat(viewer.json(path("switches/" + peers.path("switch").asText()))
                        .path("level")
                        .asInt())
                .isEqualTo(1);
        assertThat(viewer.json(path("planes")).at("/planes/0/shapeString").asText())
                .isEqualTo(model.defaultShape().string());
        JsonNode between = viewer.json(path("cost?fromNode=n1&toNode=n8"));
        assertThat(between.path("planes").path(0).path("pairs")).hasSize(1);
        assertThat(between.path("cost").asInt()).isEqualTo(model.cost().maximum());
        int group =
                Objects.requireNonNull(Objects.requireNonNull(model.device(0)).group());
        JsonNode toGroup = viewer.json(path("cost?from=0&group=" + group));
        assertThat(toGroup.path("devices").asInt()).isEqualTo(3);
        assertThat(toGroup.path("minimum").asInt()).isPositive();
        assertThat(viewer.json(path("devices?node=n3")).path("devices")).hasSize(1);
    }

    @Test
    void namesStandForSeveralDevicesWhereThatIsAskedFor() throws JsonProcessingException {
        String first = SmallFabric.deviceName(1);
        String last = SmallFabric.deviceName(8);
        assertCause(viewer.get(path("cost?from=n1&to=n8")), 404, "NOT_FOUND", "from");
        for (String below : List.of("cost", "paths")) {
            assertThat(viewer.json(path(below + "?from=n1&to=n%5B1,8%5D&several=true")))
                    .isEqualTo(viewer.json(path(below + "?from=" + first + "&to=" + last)));
        }
        assertThat(viewer.json(path("devices?peersOf=n1/mlx5_0")).at("/answers/0"))
                .isEqualTo(viewer.json(path("devices/" + first + "/switch")));
        assertThat(viewer.json(path("devices?geometryOf=n8&view=physical")).at("/answers/0"))
                .isEqualTo(viewer.json(path("devices/" + last + "/geometry?view=physical")));
        // A number is a name.
        assertCause(viewer.get(path("paths?from=0&to=n8&several=true")), 404, "NOT_FOUND", "from");
        assertCause(viewer.get(path("cost?row=n%5B1-2%5D&several=true")), 400, "BAD_PARAM", "row");
        assertCause(viewer.get(path("cost?rows=n1&cols=n2&several=true&format=npy")), 400, "BAD_PARAM", "format");
        assertCause(viewer.get(path("devices?peersOf=n%5B1-9999%5D")), 413, "BAD_PARAM", "peersOf");
    }

    @Test
    void theCommandLineSaysTheSameInTheSameWords() throws IOException {
        String first = SmallFabric.deviceName(1);
        String last = SmallFabric.deviceName(8);
        assertSaidAlike("groups", "groups");
        assertSaidAlike("cost?fromNode=n1&toNode=n8", "cost", "--from-node", "n1", "--to-node", "n8");
        assertSaidAlike("cost?level=node&nodes=n8,n1,n3", "cost", "--nodes", "n8,n1,n3");
        assertSaidAlike("cost?from=" + first + "&group=1", "cost", "--device", first, "--group", "1");
        assertSaidAlike("paths?from=" + first + "&to=" + last, "path", first, last);
        assertSaidAlike("devices/" + first + "/switch", "peers", first);
        assertSaidAlike("devices/" + last + "/geometry?view=physical", "geometry", last, "--view", "physical");
    }

    private void assertSaidAlike(String asked, String... question) throws IOException {
        List<String> words = CommandLineProgram.onCluster(cluster.cluster, List.of(question));
        words.addAll(List.of("-o", "json"));
        CommandLineProgram.Result said = CommandLineProgram.inProcess(words);
        assertThat(said.exitCode()).as(said.err()).isZero();
        assertThat(JSON.readTree(said.out())).isEqualTo(viewer.json(path(asked)));
    }

    @Test
    void mistakesAreStatusesWithTheReasonsOfTheStandard() {
        assertCause(viewer.get(path("vertices/8")), 400, "BAD_PARAM", "index");
        assertCause(viewer.get(path("vertices/x")), 400, "BAD_PARAM", "index");
        assertCause(viewer.get(path("cost?row=-1")), 404, "NOT_FOUND", "row");
        assertCause(viewer.get(path("cost?rows=0-9")), 400, "BAD_PARAM", "rows");
        assertCause(viewer.get(path("cost?format=xml")), 400, "BAD_PARAM", "format");
        assertCause(viewer.get(path("cost?generaton=1")), 400, "BAD_PARAM", "generaton");
        assertCause(viewer.get(path("cost?row=1&row=2")), 400, "BAD_PARAM", "row");
        assertCause(viewer.get(path("devices/0/geometry?view=cubist")), 400, "BAD_PARAM", "view");
        assertCause(viewer.get(path("groups?plane=9")), 404, "NOT_FOUND", "plane");
        assertCause(viewer.get(path("vertices?device=nobody")), 404, "NOT_FOUND", "device");
        assertCause(viewer.get(path("watch")), 400, "BAD_PARAM", "watch");
        assertCause(viewer.get(path("nonsense")), 404, "NOT_FOUND", "path");
        assertCause(viewer.get(QueryClient.FABRICS + "no-such-fabric/cost"), 404, "NOT_FOUND", "name");
        assertRefused(viewer.get(path("cost"), "Accept", "image/png"), 406, "NotAcceptable");
    }

    @Test
    void aPinnedGenerationIsServedOrRefused() {
        long generation = cluster.generation();
        assertThat(viewer.get(path("cost?generation=" + generation)).statusCode())
                .isEqualTo(200);
        assertCause(
                viewer.get(path("cost?generation=" + (generation + 1))),
                409,
                "GENERATION_NOT_YET_SERVED",
                "generation");
    }

    @Test
    void discoveryAndOpenApiDescribeWhatThereIs() {
        JsonNode resources = viewer.json("/apis/query.fabric-operator.dev/v1alpha1");
        assertThat(resources.path("kind").asText()).isEqualTo("APIResourceList");
        assertThat(resources.toString()).doesNotContain("delete").contains("fabrics/cost");
        assertThat(viewer.json("/apis").path("groups").path(0).path("name").asText())
                .isEqualTo("query.fabric-operator.dev");
        assertThat(viewer.json("/openapi/v2").path("paths").size())
                .isEqualTo(viewer.json("/openapi/v3/apis/query.fabric-operator.dev/v1alpha1")
                        .path("paths")
                        .size());
        QueryClient nobody = cluster.client(server, null);
        assertRefused(nobody.get("/apis"), 401, "Unauthorized");
    }

    @Test
    @Order(LAST - 3)
    void aStreamTellsPendingAndUpdatedAndAnOldPinIsGone() throws IOException {
        long before = cluster.generation();
        HttpResponse<java.io.InputStream> stream = viewer.open(path("watch?watch=true"));
        try (BufferedReader lines = new BufferedReader(new InputStreamReader(stream.body(), StandardCharsets.UTF_8))) {
            JsonNode first = JSON.readTree(lines.readLine());
            assertThat(first.path("type").asText()).isEqualTo("ADDED");
            assertThat(first.path("object").path("generation").asLong()).isEqualTo(before);
            cluster.admin
                    .resources(FabricDevice.class)
                    .withName(SmallFabric.deviceName(8))
                    .delete();
            JsonNode pending = JSON.readTree(lines.readLine());
            assertThat(pending.path("object").path("phase").asText()).isEqualTo("Pending");
            assertThat(pending.path("object").path("generation").asLong()).isEqualTo(before);
            JsonNode updated = JSON.readTree(lines.readLine());
            assertThat(updated.path("object").path("phase").asText()).isEqualTo("Updated");
            long after = updated.path("object").path("generation").asLong();
            assertThat(after).isGreaterThan(before);
            // What a stream says is served by whoever said it.
            assertThat(viewer.get(path("cost?generation=" + after)).statusCode())
                    .isEqualTo(200);
            assertCause(viewer.get(path("cost?generation=" + before)), 410, "GENERATION_EXPIRED", "generation");
        }
        cluster.awaitSettled();
    }

    @Test
    @Order(LAST - 2)
    void changesSinceAGenerationAreListedAsFarAsTheyAreKept() {
        FabricStatus status = cluster.awaitSettled();
        cluster.awaitServed(viewer);
        long generation = Objects.requireNonNull(status.generation());
        JsonNode none = viewer.json(path("changes?since=" + generation));
        assertThat(none.path("changes")).isEmpty();
        JsonNode last = viewer.json(path("changes?since=" + (generation - 1)));
        assertThat(last.path("changes")).hasSize(1);
        assertThat(last.path("changes").path(0).path("generation").asLong()).isEqualTo(generation);
        assertThat(viewer.get(path("changes?since=" + (generation + 5))).statusCode())
                .isEqualTo(409);
    }

    @Test
    @Order(LAST - 1)
    void everyReplicaGivesTheSameAnswerAlsoAfterARestartOfTheOperator() {
        cluster.awaitSettled();
        QueryClient other = cluster.client(cluster.startServer(), cluster.users.viewer("other"));
        cluster.awaitServed(other);
        cluster.awaitServed(viewer);
        for (String below : List.of("cost?format=binary", "vertices", "groups", "switches", "paths?from=0&to=5")) {
            assertThat(other.get(path(below)).body())
                    .as(below)
                    .isEqualTo(viewer.get(path(below)).body());
        }
        byte[] before = viewer.get(path("vertices")).body();
        long generation = cluster.generation();
        cluster.controller.kill();
        cluster.startController();
        eventually(() -> assertThat(cluster.controller.metric("fabric_operator_model_pass_seconds_count"))
                .isPositive());
        cluster.awaitSettled();
        assertThat(cluster.generation()).isEqualTo(generation);
        assertThat(viewer.get(path("vertices")).body()).isEqualTo(before);
    }

    @Test
    @Order(LAST)
    void aServerThatHasAnsweredAndFollowedChangesIsReadyAndHasWrittenNothing() {
        assertThat(server.isReady()).isTrue();
        assertThat(server.metric("jvm_threads_live_threads")).isPositive();
        assertThat(server.metric("fabric_operator_status_writes_total")).isZero();
    }
}
