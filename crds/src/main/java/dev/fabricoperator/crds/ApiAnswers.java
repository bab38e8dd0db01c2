/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.crds;

import java.net.HttpURLConnection;
import org.jspecify.annotations.Nullable;

/** What answers of an API server mean, whichever client has read them. */
public final class ApiAnswers {
    private ApiAnswers() {}

    /**
     * Whether there is no such object, which the answer then names. The API server also answers 404 where nobody serves the kind, or this version of it, as
     * while a custom resource is installed anew: that says nothing of objects.
     *
     * @param name {@code details.name} of the Status in the answer, {@code null} where there is none
     */
    public static boolean isAbsence(int code, @Nullable String name) {
        return code == HttpURLConnection.HTTP_NOT_FOUND && name != null;
    }
}
