/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.operator.server.query.resource;

import dev.fabricoperator.crds.FabricStatus;
import dev.fabricoperator.fabric.coordinate.View;
import dev.fabricoperator.operator.server.query.QueryApi;
import dev.fabricoperator.operator.server.query.http.Parameters;
import dev.fabricoperator.operator.server.query.http.QueryRequest;
import dev.fabricoperator.operator.server.query.http.QueryResponse;
import dev.fabricoperator.operator.server.query.http.StatusException;
import dev.fabricoperator.operator.server.served.ServedDevice;
import dev.fabricoperator.operator.server.served.ServedFabric;
import dev.fabricoperator.view.answer.FabricView;
import dev.fabricoperator.view.question.DeviceFinder;
import dev.fabricoperator.view.question.Devices;
import dev.fabricoperator.view.question.PlacedDevice;
import dev.fabricoperator.view.question.Question;
import dev.fabricoperator.view.question.UnansweredException;
import dev.fabricoperator.view.question.UnansweredException.Why;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * A request and the generation that answers it.
 *
 * @param rest what follows the resource in the path
 */
record ResourceRequest(ServedFabric served, QueryRequest request, List<String> rest) implements Devices {
    private static final int SHOWN_CANDIDATES = 5;

    /** Devices that one word of a question may mean: costs between as many are still quick. */
    private static final int MOST_DEVICES = 2048;

    /** Headers of every answer about a fabric. */
    Map<String, String> headers() {
        return Map.of(
                QueryApi.HEADER_GENERATION,
                Long.toString(served.generation()),
                QueryApi.HEADER_DIGEST,
                served.cost().digest());
    }

    /** Validator of a document that names devices or holds a generation: the digest alone says nothing of these. */
    String etag() {
        return served.cost().digest() + "-" + served.generation();
    }

    QueryResponse document(Object body) {
        return new QueryResponse.Document(body, etag(), headers());
    }

    /** Answers with numbers for indices, unless names are to stand for several devices. */
    QueryResponse answer(Question<?> question) throws UnansweredException {
        return isOfSeveral() ? large(question) : document(question.answer(this));
    }

    /** Whether names stand for all that they may mean. */
    boolean isOfSeveral() {
        return parameters().isTrue(Question.SEVERAL);
    }

    /** What words mean in it. */
    Devices devices() {
        return isOfSeveral() ? several() : this;
    }

    private Devices several() {
        return new DeviceFinder(List.of(served), served.switches(), MOST_DEVICES, false);
    }

    /** Answers what may take as long as a large answer, however short it is. */
    QueryResponse large(Question<?> question) throws UnansweredException {
        Object answer = question.answer(several());
        return QueryResponse.Written.json(
                QueryResponse.Written.LARGE_BYTES + 1, json -> json.writePOJO(answer), etag(), headers());
    }

    @Override
    public List<FabricView> fabrics() {
        return List.of(served);
    }

    @Override
    public List<PlacedDevice> all(String field, String id) throws UnansweredException {
        return List.of(new PlacedDevice(served, slot(field, id)));
    }

    @Override
    public List<PlacedDevice> ofNode(String field, String node) throws UnansweredException {
        List<PlacedDevice> found = served.directory().ofNode(node).stream()
                .map(entry -> new PlacedDevice(served, entry.getKey()))
                .toList();
        if (found.isEmpty()) {
            throw new UnansweredException(
                    Why.MISSING, field, "no device of node '" + node + "' in fabric " + served.name());
        }
        return found;
    }

    Parameters parameters() {
        return request.parameters();
    }

    /** {@code view}, by default logical. */
    View view() throws StatusException {
        String text = parameters().text("view");
        if (text == null || text.equals(View.logical.name())) {
            return View.logical;
        }
        if (text.equals(View.physical.name())) {
            return View.physical;
        }
        throw StatusException.badParam("view", "'view' is logical or physical, not '" + text + "'");
    }

    /** The id of the plane that is asked for; {@code null} for all. */
    @Nullable
    String plane() throws StatusException {
        String name = parameters().text("plane");
        if (name == null) {
            return null;
        }
        String id = served.planeId(name);
        if (served.query().planes().stream().noneMatch(plane -> plane.id().equals(id))) {
            throw StatusException.notFound("plane", "fabric " + served.name() + " has no plane '" + name + "'");
        }
        return id;
    }

    /** Whether the device in a slot is on a plane; everything is on {@code null}. */
    boolean isOn(@Nullable String plane, int slot) {
        return served.isOn(plane, slot);
    }

    /**
     * The slot that an index, object name, deviceId, GUID[:port] or {@code host/osName[:port]} means.
     *
     * @param field for the message
     */
    int slot(String field, String text) throws UnansweredException {
        if (text.length() <= 9 && !text.isEmpty() && text.chars().allMatch(c -> c >= '0' && c <= '9')) {
            return used(field, Integer.parseInt(text));
        }
        List<Integer> meant = served.ids().meantBy(text);
        if (meant.isEmpty()) {
            throw new UnansweredException(Why.MISSING, field, "no device '" + text + "' in fabric " + served.name());
        }
        if (meant.size() > 1) {
            String candidates = meant.stream()
                    .limit(SHOWN_CANDIDATES)
                    .map(slot -> device(slot).name())
                    .collect(Collectors.joining(", "));
            String more = meant.size() > SHOWN_CANDIDATES ? " and " + (meant.size() - SHOWN_CANDIDATES) + " more" : "";
            throw new UnansweredException(
                    Why.WRONG, field, "'" + text + "' is ambiguous; it names " + candidates + more);
        }
        return meant.getFirst();
    }

    private int used(String field, int slot) throws UnansweredException {
        int vertices = served.cost().vertices();
        if (slot >= vertices) {
            throw new UnansweredException(
                    Why.WRONG, field, "index " + slot + " of a fabric of " + vertices + " vertices");
        }
        if (served.directory().at(slot) == null) {
            throw new UnansweredException(
                    Why.MISSING, field, "no device has index " + slot + " in fabric " + served.name());
        }
        return slot;
    }

    /** The device in a slot that is used. */
    ServedDevice device(int slot) {
        return Objects.requireNonNull(served.directory().at(slot));
    }

    FabricStatus status() {
        return Objects.requireNonNull(served.facts().status());
    }
}
