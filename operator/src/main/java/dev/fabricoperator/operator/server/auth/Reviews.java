/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.operator.server.auth;

import io.fabric8.kubernetes.api.model.authentication.TokenReview;
import io.fabric8.kubernetes.api.model.authentication.TokenReviewBuilder;
import io.fabric8.kubernetes.api.model.authentication.UserInfo;
import io.fabric8.kubernetes.api.model.authorization.v1.SubjectAccessReview;
import io.fabric8.kubernetes.api.model.authorization.v1.SubjectAccessReviewBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientException;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** Asks the API server; nothing is remembered here. */
public class Reviews {
    private final KubernetesClient client;

    public Reviews(KubernetesClient client) {
        this.client = client;
    }

    /**
     * TokenReview.
     *
     * @return {@code null} for a token that is not valid, or no longer
     */
    @Nullable
    Caller authenticate(String token) throws AccessUnknownException {
        try {
            TokenReview review = client.resource(new TokenReviewBuilder()
                            .withNewSpec()
                            .withToken(token)
                            .endSpec()
                            .build())
                    .create();
            if (review.getStatus() == null
                    || !Boolean.TRUE.equals(review.getStatus().getAuthenticated())) {
                return null;
            }
            UserInfo user = review.getStatus().getUser();
            return new Caller(
                    user.getUsername(),
                    user.getUid(),
                    Objects.requireNonNullElse(user.getGroups(), List.of()),
                    Objects.requireNonNullElse(user.getExtra(), Map.of()));
        } catch (KubernetesClientException e) {
            throw new AccessUnknownException("the API server could not review the token", e);
        }
    }

    /** SubjectAccessReview. */
    boolean allows(Caller caller, Wish wish) throws AccessUnknownException {
        try {
            var spec = new SubjectAccessReviewBuilder()
                    .withNewSpec()
                    .withUser(caller.name())
                    .withUid(caller.uid())
                    .withGroups(caller.groups())
                    .withExtra(caller.extra());
            SubjectAccessReview asked = switch (wish) {
                case Wish.OfFabric fabric ->
                    spec.withNewResourceAttributes()
                            .withGroup(fabric.group())
                            .withVersion(fabric.version())
                            .withResource("fabrics")
                            .withName(fabric.name())
                            .withSubresource(fabric.subresource())
                            .withVerb(fabric.verb())
                            .endResourceAttributes()
                            .endSpec()
                            .build();
                case Wish.OfPath path ->
                    spec.withNewNonResourceAttributes()
                            .withPath(path.path())
                            .withVerb("get")
                            .endNonResourceAttributes()
                            .endSpec()
                            .build();
            };
            SubjectAccessReview answer = client.resource(asked).create();
            return answer.getStatus() != null
                    && Boolean.TRUE.equals(answer.getStatus().getAllowed());
        } catch (KubernetesClientException e) {
            throw new AccessUnknownException("the API server could not review the access", e);
        }
    }
}
