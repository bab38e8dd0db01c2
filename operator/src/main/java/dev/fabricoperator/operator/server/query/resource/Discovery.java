/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.operator.server.query.resource;

import dev.fabricoperator.operator.server.query.QueryApi;
import io.fabric8.kubernetes.api.model.APIGroup;
import io.fabric8.kubernetes.api.model.APIGroupBuilder;
import io.fabric8.kubernetes.api.model.APIGroupListBuilder;
import io.fabric8.kubernetes.api.model.APIResource;
import io.fabric8.kubernetes.api.model.APIResourceBuilder;
import io.fabric8.kubernetes.api.model.APIResourceListBuilder;
import java.util.ArrayList;
import java.util.List;

/**
 * What Kubernetes' discovery is told.
 *
 * <p>No resource can be listed or deleted. {@code fabrics} itself has the verb watch only, so that {@code kubectl get fabrics} means the objects
 * of fabric-operator.dev and nothing else.
 */
final class Discovery {
    private Discovery() {}

    static Object groups() {
        return new APIGroupListBuilder().withGroups(group()).build();
    }

    static APIGroup group() {
        return new APIGroupBuilder()
                .withName(QueryApi.GROUP)
                .addNewVersion(QueryApi.GROUP_VERSION, QueryApi.VERSION)
                .withNewPreferredVersion(QueryApi.GROUP_VERSION, QueryApi.VERSION)
                .build();
    }

    static Object resources(List<Resource> resources) {
        List<APIResource> listed = new ArrayList<>();
        listed.add(resource("fabrics", false, "FabricUpdate", List.of("watch")));
        resources.forEach(each -> listed.add(resource("fabrics/" + each.name(), false, "FabricAnswer", each.verbs())));
        listed.add(resource("jobs/traffic", true, "JobTraffic", List.of("get")));
        return new APIResourceListBuilder()
                .withGroupVersion(QueryApi.GROUP_VERSION)
                .withResources(listed)
                .build();
    }

    private static APIResource resource(String name, boolean namespaced, String kind, List<String> verbs) {
        return new APIResourceBuilder()
                .withName(name)
                .withSingularName("")
                .withNamespaced(namespaced)
                .withKind(kind)
                .withVerbs(verbs)
                .build();
    }
}
