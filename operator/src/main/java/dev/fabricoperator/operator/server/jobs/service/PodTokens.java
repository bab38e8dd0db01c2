/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.operator.server.jobs.service;

import dev.fabricoperator.crds.LaunchApi;
import dev.fabricoperator.operator.server.auth.AccessUnknownException;
import dev.fabricoperator.operator.server.auth.Caller;
import dev.fabricoperator.operator.server.auth.TokenAuthenticator;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Which pod a token was made for: the API server's word, nothing that the caller says. A token for another audience, or one
 * that is not bound to a pod, is worth nothing here. A good answer is believed for a while, and no longer than its pod lives.
 *
 * @see "KEP-1205 bound service account tokens; extra fields authentication.kubernetes.io/pod-name and pod-uid"
 */
final class PodTokens {
    private static final String POD_NAME = "authentication.kubernetes.io/pod-name";
    private static final String POD_UID = "authentication.kubernetes.io/pod-uid";
    private static final String USER = "system:serviceaccount:";

    private final TokenAuthenticator tokens;

    /** What a token proves. */
    record BoundPod(String namespace, String name, String uid) {}

    /** @param tokens for the audience {@link LaunchApi#TOKEN_AUDIENCE}, by {@link #podUid} */
    PodTokens(TokenAuthenticator tokens) {
        this.tokens = tokens;
    }

    /**
     * @param address of the client
     * @param patience how long a token that is not known may wait for others
     * @throws JobRefusedException 401 for a token that proves no pod, 503 where the API server does not answer
     */
    BoundPod prove(@Nullable String token, String address, Duration patience) throws JobRefusedException {
        if (token == null || token.isEmpty()) {
            throw JobRefusedException.of(
                    401, "a bearer token of the audience " + LaunchApi.TOKEN_AUDIENCE + " is needed");
        }
        Caller caller;
        try {
            caller = tokens.authenticate(token, address, patience);
        } catch (AccessUnknownException e) {
            throw new JobRefusedException(JobResponse.later(String.valueOf(e.getMessage())));
        }
        if (caller == null) {
            throw JobRefusedException.of(401, "the token is not valid for the audience " + LaunchApi.TOKEN_AUDIENCE);
        }
        String name = only(caller, POD_NAME);
        String uid = only(caller, POD_UID);
        if (!caller.name().startsWith(USER) || name == null || uid == null) {
            throw JobRefusedException.of(401, "the token is not bound to a pod");
        }
        return new BoundPod(caller.name().substring(USER.length()).split(":", 2)[0], name, uid);
    }

    /** A pod is gone, and its tokens with it. */
    void forget(String podUid) {
        tokens.forget(podUid);
    }

    /** The subject of the tokens of a pod, by which they are forgotten. */
    static @Nullable String podUid(Caller caller) {
        return only(caller, POD_UID);
    }

    private static @Nullable String only(Caller caller, String key) {
        List<String> values = caller.extra().get(key);
        return values == null || values.size() != 1 ? null : values.getFirst();
    }
}
