/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.operator.server.query.http;

import dev.fabricoperator.operator.model.condition.Conditions;
import io.fabric8.kubernetes.api.model.Status;
import io.fabric8.kubernetes.api.model.StatusBuilder;
import io.fabric8.kubernetes.api.model.StatusCause;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Why a request gets no answer; what the client is told is a Kubernetes {@code Status}.
 *
 * @see "PMIx Standard, PMIX_ERR_BAD_PARAM and PMIX_ERR_NOT_FOUND, for the causes of 400 and 404"
 */
public final class StatusException extends Exception {
    private static final long serialVersionUID = 1;
    private static final int MAXIMUM_MESSAGE = 512;

    private final int code;
    private final String reason;
    private final @Nullable String cause;
    private final @Nullable String field;
    private final @Nullable Integer retryAfterSeconds;

    private StatusException(
            int code,
            String reason,
            String message,
            @Nullable String cause,
            @Nullable String field,
            @Nullable Integer retryAfterSeconds) {
        super(Conditions.bounded(message, MAXIMUM_MESSAGE), null, false, false);
        this.code = code;
        this.reason = reason;
        this.cause = cause;
        this.field = field;
        this.retryAfterSeconds = retryAfterSeconds;
    }

    /** @param field the parameter or part of the path that is wrong */
    public static StatusException badParam(String field, String message) {
        return new StatusException(400, "BadRequest", message, "BAD_PARAM", field, null);
    }

    public static StatusException unauthorized(String message) {
        return new StatusException(401, "Unauthorized", message, null, null, null);
    }

    public static StatusException forbidden(String message) {
        return new StatusException(403, "Forbidden", message, null, null, null);
    }

    public static StatusException notFound(String field, String message) {
        return new StatusException(404, "NotFound", message, "NOT_FOUND", field, null);
    }

    public static StatusException methodNotAllowed() {
        return new StatusException(405, "MethodNotAllowed", "only GET is known here", null, null, null);
    }

    public static StatusException notAcceptable(String message) {
        return new StatusException(406, "NotAcceptable", message, null, null, null);
    }

    /** A generation that is to come. */
    public static StatusException notYet(String message) {
        return new StatusException(409, "Conflict", message, "GENERATION_NOT_YET_SERVED", "generation", 1);
    }

    /** A generation that was. */
    public static StatusException expired(String field, String message) {
        return new StatusException(410, "Expired", message, "GENERATION_EXPIRED", field, null);
    }

    public static StatusException tooLarge(@Nullable String field, String message) {
        return new StatusException(
                413, "RequestEntityTooLarge", message, field == null ? null : "BAD_PARAM", field, null);
    }

    public static StatusException tooMany(String message) {
        return new StatusException(429, "TooManyRequests", message, null, null, 1);
    }

    public static StatusException internal() {
        return new StatusException(
                500, "InternalError", "this request met a defect; the log says more", null, null, null);
    }

    public static StatusException unavailable(String message) {
        return new StatusException(503, "ServiceUnavailable", message, null, null, 2);
    }

    public int code() {
        return code;
    }

    public @Nullable Integer retryAfterSeconds() {
        return retryAfterSeconds;
    }

    /** @param name of the fabric in request, where there is one */
    public Status status(String group, @Nullable String name) {
        List<StatusCause> causes = cause == null ? List.of() : List.of(new StatusCause(field, getMessage(), cause));
        return new StatusBuilder()
                .withNewMetadata()
                .endMetadata()
                .withStatus("Failure")
                .withMessage(getMessage())
                .withReason(reason)
                .withNewDetails()
                .withName(name)
                .withGroup(group)
                .withKind(name == null ? null : "fabrics")
                .withCauses(causes)
                .withRetryAfterSeconds(retryAfterSeconds)
                .endDetails()
                .withCode(code)
                .build();
    }
}
