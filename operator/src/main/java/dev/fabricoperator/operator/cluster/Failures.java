/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.operator.cluster;

import dev.fabricoperator.crds.ApiAnswers;
import io.fabric8.kubernetes.api.model.StatusDetails;
import io.fabric8.kubernetes.client.KubernetesClientException;
import java.net.HttpURLConnection;

/** What a request that failed means for whoever made it. */
public final class Failures {
    private static final int TOO_MANY_REQUESTS = 429;

    private Failures() {}

    /** Whether the same request may succeed soon: what the API server refuses of itself does not. */
    public static boolean pass(KubernetesClientException e) {
        int code = e.getCode();
        return isUnanswered(e)
                || code == HttpURLConnection.HTTP_NOT_FOUND && !isAbsent(e)
                || code == HttpURLConnection.HTTP_CONFLICT
                || code == TOO_MANY_REQUESTS
                || code >= HttpURLConnection.HTTP_INTERNAL_ERROR;
    }

    /** See {@link ApiAnswers#isAbsence}. */
    public static boolean isAbsent(KubernetesClientException e) {
        StatusDetails details = e.getStatus() == null ? null : e.getStatus().getDetails();
        return ApiAnswers.isAbsence(e.getCode(), details == null ? null : details.getName());
    }

    /** Whether the API server has said nothing: it is away, or this thread was interrupted while it waited. */
    public static boolean isUnanswered(KubernetesClientException e) {
        return e.getCode() <= 0;
    }
}
