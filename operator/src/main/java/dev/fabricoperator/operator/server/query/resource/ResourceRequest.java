/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.operator.server.query.resource;

import dev.fabricoperator.crds.FabricStatus;
import dev.fabricoperator.fabric.coordinate.View;
import dev.fabricoperator.fabric.model.DevicePosition;
import dev.fabricoperator.operator.server.query.QueryApi;
import dev.fabricoperator.operator.server.query.http.Parameters;
import dev.fabricoperator.operator.server.query.http.QueryRequest;
import dev.fabricoperator.operator.server.query.http.QueryResponse;
import dev.fabricoperator.operator.server.query.http.StatusException;
import dev.fabricoperator.operator.server.served.ServedDevice;
import dev.fabricoperator.operator.server.served.ServedFabric;
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
record ResourceRequest(ServedFabric served, QueryRequest request, List<String> rest) {
    private static final int SHOWN_CANDIDATES = 5;

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
        DevicePosition place = plane == null ? null : served.model().device(slot);
        return plane == null || (place != null && plane.equals(place.plane()));
    }

    /**
     * The slot that an index, object name, deviceId, GUID[:port] or {@code host/osName[:port]} means.
     *
     * @param field for the message
     */
    int slot(String field, String text) throws StatusException {
        if (text.length() <= 9 && !text.isEmpty() && text.chars().allMatch(c -> c >= '0' && c <= '9')) {
            return used(field, Integer.parseInt(text));
        }
        List<Integer> meant = served.directory().meantBy(text);
        if (meant.isEmpty()) {
            throw StatusException.notFound(field, "no device '" + text + "' in fabric " + served.name());
        }
        if (meant.size() > 1) {
            String candidates = meant.stream()
                    .limit(SHOWN_CANDIDATES)
                    .map(slot -> device(slot).name())
                    .collect(Collectors.joining(", "));
            String more = meant.size() > SHOWN_CANDIDATES ? " and " + (meant.size() - SHOWN_CANDIDATES) + " more" : "";
            throw StatusException.badParam(field, "'" + text + "' is ambiguous; it names " + candidates + more);
        }
        return meant.getFirst();
    }

    private int used(String field, int slot) throws StatusException {
        int vertices = served.cost().vertices();
        if (slot >= vertices) {
            throw StatusException.badParam(field, "index " + slot + " of a fabric of " + vertices + " vertices");
        }
        if (served.directory().at(slot) == null) {
            throw StatusException.notFound(field, "no device has index " + slot + " in fabric " + served.name());
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
