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
public final class ReviewClient {
    private final KubernetesClient client;

    public ReviewClient(KubernetesClient client) {
        this.client = client;
    }

    /**
     * TokenReview.
     *
     * @param audience that the token must be made for; {@code null} for the API server's own
     * @return {@code null} for a token that is not valid, or no longer
     */
    @Nullable
    Caller authenticate(String token, @Nullable String audience) throws AccessUnknownException {
        try {
            TokenReview review = client.resource(new TokenReviewBuilder()
                            .withNewSpec()
                            .withToken(token)
                            .withAudiences(audience == null ? List.of() : List.of(audience))
                            .endSpec()
                            .build())
                    .create();
            if (review.getStatus() == null
                    || !Boolean.TRUE.equals(review.getStatus().getAuthenticated())) {
                return null;
            }
            List<String> audiences = review.getStatus().getAudiences();
            if (audience != null && (audiences == null || !audiences.contains(audience))) {
                // An authenticator that knows no audiences says so by naming none.
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
    boolean allows(Caller caller, AccessAttributes attributes) throws AccessUnknownException {
        try {
            var spec = new SubjectAccessReviewBuilder()
                    .withNewSpec()
                    .withUser(caller.name())
                    .withUid(caller.uid())
                    .withGroups(caller.groups())
                    .withExtra(caller.extra());
            SubjectAccessReview asked = switch (attributes) {
                case AccessAttributes.OfFabric fabric ->
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
                case AccessAttributes.OfJob job ->
                    spec.withNewResourceAttributes()
                            .withGroup(job.group())
                            .withVersion(job.version())
                            .withNamespace(job.namespace())
                            .withResource("jobs")
                            .withName(job.name())
                            .withSubresource(job.subresource())
                            .withVerb("get")
                            .endResourceAttributes()
                            .endSpec()
                            .build();
                case AccessAttributes.OfPath path ->
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
