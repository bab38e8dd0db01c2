{{/*
Copyright The fabric-operator authors.
SPDX-License-Identifier: Apache-2.0

The templates write out the kustomize bases in config/, with what values say changed in them: what Helm and kustomize install cannot differ. See docs/adr.
*/}}

{{/*
The objects of some of the files.

  root      the chart's $
  files     glob below the chart's directory
  leaveOut  what is not wanted, as kind/name
*/}}
{{- define "fabric-operator.manifests" -}}
{{- $root := .root -}}
{{- $leaveOut := .leaveOut | default list -}}
{{- $files := $root.Files.Glob .files -}}
{{- if not $files -}}
{{- fail (printf "the chart has no %s: it is not whole" .files) -}}
{{- end -}}
{{- range $path, $content := $files -}}
{{- if ne (base $path) "kustomization.yaml" -}}
{{- range $document := regexSplit "(?m)^---$" (include "fabric-operator.ownNamespace" (dict "root" $root "text" (toString $content))) -1 -}}
{{- $object := fromYaml $document -}}
{{- if hasKey $object "Error" -}}
{{- fail (printf "%s: %s" $path $object.Error) -}}
{{- end -}}
{{- if and $object (not (has (printf "%s/%s" $object.kind $object.metadata.name) $leaveOut)) }}
{{- include "fabric-operator.change" (dict "root" $root "object" $object) }}
---
# Source: {{ $path }}
{{ toYaml $object }}
{{- end -}}
{{- end -}}
{{- end -}}
{{- end -}}
{{- end -}}

{{/* The manifests' namespace is called fabric-operator, in metadata, subjects, references to Services, and where policies name service accounts. */}}
{{- define "fabric-operator.ownNamespace" -}}
{{- $named := regexReplaceAll "(?m)namespace: fabric-operator$" .text (printf "namespace: %s" .root.Release.Namespace) -}}
{{- $named | replace "system:serviceaccount:fabric-operator:" (printf "system:serviceaccount:%s:" .root.Release.Namespace) -}}
{{- end -}}

{{/* What values and Helm change in an object. Writes nothing. */}}
{{- define "fabric-operator.change" -}}
{{- $object := .object -}}
{{- $values := .root.Values -}}
{{- $_ := set $object.metadata "labels" (merge (include "fabric-operator.labels" .root | fromYaml) ($object.metadata.labels | default dict)) -}}
{{- $what := printf "%s/%s" $object.kind $object.metadata.name -}}
{{- if eq $what "Deployment/fabric-operator-controller" -}}
{{- if not (and $values.nodeLabels.enabled $values.admissionPolicies.enabled) -}}
{{- $container := first $object.spec.template.spec.containers -}}
{{- $_ := include "fabric-operator.environment" (dict "container" $container "env" (list (dict "name" "FABRIC_OPERATOR_NODE_LABELS_ENABLED" "value" "false"))) -}}
{{- end -}}
{{- $_ := include "fabric-operator.workload" (dict "root" .root "object" $object "image" $values.images.operator "values" $values.controller) -}}
{{- else if eq $what "Deployment/fabric-operator-server" -}}
{{- $container := first $object.spec.template.spec.containers -}}
{{- $_ := include "fabric-operator.pmixd" (dict "root" .root "container" $container) -}}
{{- if $values.extender.enabled -}}
{{- $_ := include "fabric-operator.environment" (dict "container" $container "env" (list (dict "name" "FABRIC_OPERATOR_EXTENDER_ENABLED" "value" "true"))) -}}
{{- $_ := set $container "ports" (append $container.ports (dict "name" "extender" "containerPort" 9445)) -}}
{{- end -}}
{{- $_ := include "fabric-operator.workload" (dict "root" .root "object" $object "image" $values.images.operator "values" $values.server) -}}
{{- else if eq $what "DaemonSet/fabric-agent" -}}
{{- $_ := include "fabric-operator.workload" (dict "root" .root "object" $object "image" $values.images.agent "values" $values.agent) -}}
{{- if ne (int $values.agent.metricsPort) 8081 -}}
{{- $container := first $object.spec.template.spec.containers -}}
{{- $_ := set $container "args" (append $container.args (printf "--metrics-port=%d" (int $values.agent.metricsPort))) -}}
{{- $_ := set (first $container.ports) "containerPort" (int $values.agent.metricsPort) -}}
{{- end -}}
{{- if $values.agent.lldp.enabled -}}
{{- $_ := include "fabric-operator.lldp" (dict "lldp" $values.agent.lldp "pod" $object.spec.template.spec) -}}
{{- end -}}
{{- else if eq $what "Deployment/fabric-sweeper" -}}
{{- $_ := include "fabric-operator.workload" (dict "root" .root "object" $object "image" $values.images.sweeper "values" $values.sweeper) -}}
{{- else if has $what (list "NetworkPolicy/fabric-operator-webhook" "NetworkPolicy/fabric-operator-extender") -}}
{{- $blocks := list -}}
{{- range $values.networkPolicy.apiServerCidrs -}}
{{- $blocks = append $blocks (dict "ipBlock" (dict "cidr" .)) -}}
{{- end -}}
{{- $_ := set (first $object.spec.ingress) "from" $blocks -}}
{{- else if eq $what "NetworkPolicy/fabric-operator-egress" -}}
{{- $blocks := list -}}
{{- range $values.networkPolicy.egressCidrs -}}
{{- $blocks = append $blocks (dict "ipBlock" (dict "cidr" .)) -}}
{{- end -}}
{{- $_ := set (first $object.spec.egress) "to" $blocks -}}
{{- else if has $object.kind (list "MutatingWebhookConfiguration" "APIService") -}}
{{- with $values.certificates.annotations -}}
{{- $_ := set $object.metadata "annotations" . -}}
{{- end -}}
{{- else if has $object.kind (list "ServiceMonitor" "PodMonitor") -}}
{{- $_ := set $object.metadata "labels" (merge $object.metadata.labels $values.monitoring.scrape.labels) -}}
{{- with $values.monitoring.scrape.interval -}}
{{- $_ := set (first ($object.spec.endpoints | default $object.spec.podMetricsEndpoints)) "interval" . -}}
{{- end -}}
{{- else if eq $object.kind "PrometheusRule" -}}
{{- $_ := set $object.metadata "labels" (merge $object.metadata.labels $values.monitoring.rules.labels) -}}
{{- else if eq $object.kind "CustomResourceDefinition" -}}
{{- if $values.crds.keep -}}
{{- $_ := set $object.metadata "annotations" (merge (dict "helm.sh/resource-policy" "keep") ($object.metadata.annotations | default dict)) -}}
{{- end -}}
{{- else if eq $object.kind "Namespace" -}}
{{- $_ := set $object.metadata "name" .root.Release.Namespace -}}
{{- $_ := set $object.metadata "annotations" (dict "helm.sh/resource-policy" "keep") -}}
{{- end -}}
{{- end -}}

{{- define "fabric-operator.labels" -}}
helm.sh/chart: {{ printf "%s-%s" .Chart.Name .Chart.Version | replace "+" "_" | trunc 63 | trimSuffix "-" }}
app.kubernetes.io/instance: {{ .Release.Name }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
{{- end -}}

{{/* A Deployment or DaemonSet with one container. */}}
{{- define "fabric-operator.workload" -}}
{{- $values := .values -}}
{{- $images := .root.Values.images -}}
{{- $template := .object.spec.template -}}
{{- $container := first $template.spec.containers -}}
{{- if hasKey $values "replicas" -}}
{{- $_ := set .object.spec "replicas" $values.replicas -}}
{{- end -}}
{{- $_ := set $container "image" (include "fabric-operator.image" (dict "root" .root "image" .image)) -}}
{{- with $images.pullPolicy -}}
{{- $_ := set $container "imagePullPolicy" . -}}
{{- end -}}
{{- if $images.pullSecrets -}}
{{- $secrets := list -}}
{{- range $images.pullSecrets -}}
{{- $secrets = append $secrets (dict "name" .) -}}
{{- end -}}
{{- $_ := set $template.spec "imagePullSecrets" $secrets -}}
{{- end -}}
{{- $_ := set $container "resources" $values.resources -}}
{{- $_ := include "fabric-operator.environment" (dict "container" $container "env" ($values.env | default list)) -}}
{{- /* What is said replaces what the manifest says, also where nothing is left of it. */ -}}
{{- $_ := set $template.spec "nodeSelector" (merge (dict "kubernetes.io/os" "linux") ($values.nodeSelector | default dict)) -}}
{{- $_ := unset $template.spec "tolerations" -}}
{{- range $field := list "tolerations" "affinity" "priorityClassName" -}}
{{- with index $values $field -}}
{{- $_ := set $template.spec $field . -}}
{{- end -}}
{{- end -}}
{{- with $values.podSecurityContext -}}
{{- $_ := set $template.spec "securityContext" (deepCopy .) -}}
{{- end -}}
{{- with $values.securityContext -}}
{{- $_ := set $container "securityContext" . -}}
{{- end -}}
{{- with $values.podAnnotations -}}
{{- $_ := set $template.metadata "annotations" . -}}
{{- end -}}
{{- with $values.podLabels -}}
{{- $_ := set $template.metadata "labels" (merge (deepCopy $template.metadata.labels) .) -}}
{{- end -}}
{{- end -}}

{{/* Sets variables of a container: one that it has keeps its place, and gets the new value. */}}
{{- define "fabric-operator.environment" -}}
{{- $container := .container -}}
{{- range $variable := .env -}}
{{- $all := list -}}
{{- $had := false -}}
{{- range $container.env -}}
{{- if eq .name $variable.name -}}
{{- $had = true -}}
{{- $all = append $all $variable -}}
{{- else -}}
{{- $all = append $all . -}}
{{- end -}}
{{- end -}}
{{- if not $had -}}
{{- $all = append $all $variable -}}
{{- end -}}
{{- $_ := set $container "env" $all -}}
{{- end -}}
{{- end -}}

{{/* What servers put into pods comes from the same place as the operator's own images. */}}
{{- define "fabric-operator.pmixd" -}}
{{- $images := .root.Values.images -}}
{{- $reference := include "fabric-operator.image" (dict "root" .root "image" $images.pmixd) -}}
{{- range .container.env -}}
{{- if eq .name "FABRIC_OPERATOR_ADMISSION_PMIXD_IMAGE" -}}
{{- $_ := set . "value" $reference -}}
{{- end -}}
{{- end -}}
{{- with $images.pullPolicy -}}
{{- $_ := include "fabric-operator.environment" (dict "container" $.container "env" (list (dict "name" "FABRIC_OPERATOR_ADMISSION_PMIXD_IMAGE_PULL_POLICY" "value" .))) -}}
{{- end -}}
{{- end -}}

{{/* As the kustomize component config/agent-lldp does. */}}
{{- define "fabric-operator.lldp" -}}
{{- $container := first .pod.containers -}}
{{- $_ := set .pod "volumes" (append .pod.volumes (dict "name" "lldpd" "hostPath" (dict "path" .lldp.socketDirectory "type" "DirectoryOrCreate"))) -}}
{{- $_ := set $container "volumeMounts" (append $container.volumeMounts (dict "name" "lldpd" "mountPath" "/host/run/lldpd" "readOnly" true)) -}}
{{- $_ := set .pod.securityContext "supplementalGroups" (list .lldp.group) -}}
{{- end -}}

{{/* registry/name:tag or registry/name@digest. The one place that makes an image's reference. */}}
{{- define "fabric-operator.image" -}}
{{- $images := .root.Values.images -}}
{{- $name := printf "%s/%s" (trimSuffix "/" $images.registry) .image.name -}}
{{- if .image.digest -}}
{{- printf "%s@%s" $name .image.digest -}}
{{- else -}}
{{- printf "%s:%s" $name (.image.tag | default $images.tag | default .root.Chart.AppVersion) -}}
{{- end -}}
{{- end -}}
