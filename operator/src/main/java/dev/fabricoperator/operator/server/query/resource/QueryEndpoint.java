/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.operator.server.query.resource;

import dev.fabricoperator.operator.server.auth.AccessAttributes;
import dev.fabricoperator.operator.server.query.QueryApi;
import dev.fabricoperator.operator.server.query.http.Endpoint;
import dev.fabricoperator.operator.server.query.http.Parameters;
import dev.fabricoperator.operator.server.query.http.QueryRequest;
import dev.fabricoperator.operator.server.query.http.QueryResponse;
import dev.fabricoperator.operator.server.query.http.StatusException;
import dev.fabricoperator.operator.server.served.ServedFabric;
import dev.fabricoperator.operator.server.served.ServedFabrics;
import dev.fabricoperator.operator.server.traffic.PortTraffic;
import dev.fabricoperator.view.answer.JobTrafficAnswer;
import dev.fabricoperator.view.question.UnansweredException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.function.Supplier;

/** From a path to its answer. */
public final class QueryEndpoint implements Endpoint {
    private static final int MAXIMUM_NAME = 253;
    private static final List<String> BASE = List.of("apis", QueryApi.GROUP, QueryApi.VERSION);
    private static final String FABRICS = "fabrics";
    private static final String TRAFFIC = "traffic";
    private static final String NAME_SELECTOR = "metadata.name=";

    private final ServedFabrics fabrics;
    private final PortTraffic traffic;
    private final Map<String, Resource> resources = new LinkedHashMap<>();
    private final ChangeResources changes;
    private final Map<String, Object> documents;

    /** @param wholeMatrixVertices matrices up to this many vertices are sent whole */
    public QueryEndpoint(ServedFabrics fabrics, PortTraffic traffic, int wholeMatrixVertices) {
        this.fabrics = fabrics;
        this.traffic = traffic;
        changes = new ChangeResources(fabrics);
        List<Resource> all = new ArrayList<>();
        all.add(new CostResource(wholeMatrixVertices).resource());
        all.addAll(PlacementResources.resources());
        all.add(TopologyResource.resource());
        all.add(new MapResource().resource());
        all.addAll(new PortResources(traffic, fabrics).resources());
        all.addAll(changes.resources());
        all.forEach(resource -> resources.put(resource.name(), resource));
        OpenApi openApi = new OpenApi(all);
        documents = Map.of(
                "/apis",
                Discovery.groups(),
                "/apis/" + QueryApi.GROUP,
                Discovery.group(),
                "/" + OpenApi.GROUP_PATH,
                Discovery.resources(all),
                "/openapi/v2",
                openApi.version2(),
                "/openapi/v3",
                openApi.version3Index(),
                "/openapi/v3/" + OpenApi.GROUP_PATH,
                openApi.version3());
    }

    @Override
    public AccessAttributes attributes(QueryRequest request) throws StatusException {
        if (documents.containsKey(request.path())) {
            return new AccessAttributes.OfPath(request.path());
        }
        if (isOfJob(request)) {
            List<String> path = request.segments();
            return new AccessAttributes.OfJob(
                    QueryApi.GROUP,
                    QueryApi.VERSION,
                    path.get(BASE.size() + 1),
                    path.get(BASE.size() + 3),
                    path.get(BASE.size() + 4));
        }
        List<String> below = belowBase(request);
        if (below.size() == 1) {
            return ofFabric(selected(request), "", "watch");
        }
        String resource = below.get(2);
        boolean stream = resource.equals("watch") && request.parameters().isTrue("watch");
        return ofFabric(below.get(1), resource, stream ? "watch" : "get");
    }

    /** {@code namespaces/NS/jobs/NAME/traffic}. */
    private static boolean isOfJob(QueryRequest request) {
        List<String> segments = request.segments();
        int at = BASE.size();
        return segments.size() == at + 5
                && segments.subList(0, at).equals(BASE)
                && segments.get(at).equals("namespaces")
                && segments.get(at + 1).length() <= MAXIMUM_NAME
                && segments.get(at + 2).equals("jobs")
                && segments.get(at + 3).length() <= MAXIMUM_NAME
                && segments.get(at + 4).equals(TRAFFIC);
    }

    private QueryResponse ofJob(QueryRequest request) throws StatusException {
        request.parameters().requireKnown(Set.of());
        String namespace = request.segments().get(BASE.size() + 1);
        String job = request.segments().get(BASE.size() + 3);
        Supplier<JobTrafficAnswer> answer;
        try {
            answer = traffic.ofJob(namespace, job, fabrics.all());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw StatusException.unavailable("this replica ends");
        }
        if (answer == null) {
            throw StatusException.notFound(
                    "name",
                    "no traffic of job '" + job + "' in namespace '" + namespace
                            + "': its pods tell it from some second after it was asked for, once a second, and when their ranks have ended; a server forgets it when it ends itself. Ask again in some seconds while the job runs");
        }
        // However short it is, to make it takes as long as a large answer does: it is made when there is room for one.
        return QueryResponse.Written.json(
                QueryResponse.Written.LARGE_BYTES + 1, json -> json.writeObject(answer.get()), null, Map.of());
    }

    private static AccessAttributes ofFabric(String name, String subresource, String verb) {
        return new AccessAttributes.OfFabric(QueryApi.GROUP, QueryApi.VERSION, name, subresource, verb);
    }

    /** What follows the group's version: {@code fabrics}, or {@code fabrics}, a name, a resource and more. */
    private List<String> belowBase(QueryRequest request) throws StatusException {
        List<String> segments = request.segments();
        boolean ours = segments.size() > BASE.size()
                && segments.subList(0, BASE.size()).equals(BASE);
        if (ours) {
            List<String> below = segments.subList(BASE.size(), segments.size());
            boolean fabric = below.getFirst().equals(FABRICS);
            if (fabric && below.size() == 1) {
                return below;
            }
            if (fabric
                    && below.size() >= 3
                    && below.get(1).length() <= MAXIMUM_NAME
                    && resources.containsKey(below.get(2))) {
                return below;
            }
        }
        throw StatusException.notFound(
                "path",
                "no such path; there are /" + OpenApi.GROUP_PATH + "/fabrics/{name}/"
                        + String.join(",", resources.keySet()) + " and /" + OpenApi.GROUP_PATH + OpenApi.TRAFFIC_PATH);
    }

    /** The one fabric that a stream in the manner of a collection is about. */
    private static String selected(QueryRequest request) throws StatusException {
        String selector = request.parameters().text("fieldSelector");
        if (!request.parameters().isTrue("watch")
                || selector == null
                || !selector.startsWith(NAME_SELECTOR)
                || selector.length() > NAME_SELECTOR.length() + MAXIMUM_NAME) {
            throw StatusException.badParam(
                    "fieldSelector", "fabrics can be watched only: watch=true&fieldSelector=metadata.name=NAME");
        }
        return selector.substring(NAME_SELECTOR.length());
    }

    @Override
    public String subject(QueryRequest request) {
        List<String> segments = request.segments();
        boolean named = segments.size() > BASE.size() + 1
                && segments.get(BASE.size()).equals(FABRICS)
                && segments.get(BASE.size() + 1).length() <= MAXIMUM_NAME;
        return named ? segments.get(BASE.size() + 1) : "";
    }

    @Override
    public QueryResponse answer(QueryRequest request) throws StatusException {
        Object document = documents.get(request.path());
        if (document != null) {
            return new QueryResponse.Document(document, null, Map.of());
        }
        if (isOfJob(request)) {
            return ofJob(request);
        }
        List<String> below = belowBase(request);
        if (below.size() == 1) {
            request.parameters()
                    .requireKnown(Set.of("watch", "fieldSelector", "resourceVersion", "since", "timeoutSeconds"));
            return changes.watch(new ResourceRequest(served(selected(request)), request, List.of()));
        }
        Resource resource = Objects.requireNonNull(resources.get(below.get(2)));
        List<String> rest = below.subList(3, below.size());
        requirePath(resource, rest);
        request.parameters().requireKnown(resource.knownParameters());
        ServedFabric served = served(below.get(1));
        requireGeneration(served, request.parameters());
        try {
            return resource.route().answer(new ResourceRequest(served, request, rest));
        } catch (UnansweredException e) {
            throw switch (e.why()) {
                case WRONG -> StatusException.badParam(e.field(), e.getMessage());
                case MISSING -> StatusException.notFound(e.field(), e.getMessage());
                case TOO_LARGE -> StatusException.tooLarge(e.field(), e.getMessage());
            };
        }
    }

    private static void requirePath(Resource resource, List<String> rest) throws StatusException {
        boolean known = resource.paths().stream().anyMatch(path -> path.split("/", -1).length == rest.size() + 1);
        if (!known) {
            throw StatusException.notFound("path", "no such path; there are " + String.join(", ", resource.paths()));
        }
    }

    private ServedFabric served(String fabric) throws StatusException {
        ServedFabric served = fabrics.get(fabric);
        if (served != null) {
            return served;
        }
        if (fabrics.isKnown(fabric)) {
            throw StatusException.unavailable("no generation of fabric '" + fabric + "' has been read completely yet");
        }
        throw StatusException.notFound("name", "no fabric '" + fabric + "'");
    }

    private static void requireGeneration(ServedFabric served, Parameters parameters) throws StatusException {
        Long pinned = parameters.number("generation");
        if (pinned == null || pinned == served.generation()) {
            return;
        }
        String message = "generation " + pinned + " of fabric " + served.name() + " is not served, "
                + served.generation() + " is";
        throw pinned < served.generation()
                ? StatusException.expired("generation", message)
                : StatusException.notYet(message);
    }
}
