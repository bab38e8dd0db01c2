// Copyright The fabric-operator authors.
// SPDX-License-Identifier: Apache-2.0

// The least that a webhook in Go with controller-runtime does to give a pod the same container, volumes and command: a typed pod in,
// a JSON Patch out. Usage: webhook PORT DIRECTORY (with tls.crt and tls.key).
package main

import (
	"context"
	"encoding/json"
	"net/http"
	"os"
	"strconv"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	"k8s.io/apimachinery/pkg/runtime"
	clientgoscheme "k8s.io/client-go/kubernetes/scheme"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/log"
	"sigs.k8s.io/controller-runtime/pkg/log/zap"
	"sigs.k8s.io/controller-runtime/pkg/webhook"
	"sigs.k8s.io/controller-runtime/pkg/webhook/admission"
)

type injector struct{ decoder admission.Decoder }

func pointer[T any](value T) *T { return &value }

func field(name, path string) corev1.EnvVar {
	return corev1.EnvVar{Name: name, ValueFrom: &corev1.EnvVarSource{FieldRef: &corev1.ObjectFieldSelector{FieldPath: path}}}
}

func (i *injector) Handle(_ context.Context, request admission.Request) admission.Response {
	pod := &corev1.Pod{}
	if err := i.decoder.Decode(request, pod); err != nil {
		return admission.Errored(http.StatusBadRequest, err)
	}
	if pod.Labels == nil {
		pod.Labels = map[string]string{}
	}
	pod.Labels["fabric-operator.dev/launch"] = "direct"
	pod.Annotations["kubectl.kubernetes.io/default-container"] = pod.Spec.Containers[0].Name
	size := resource.MustParse("16Mi")
	pod.Spec.Volumes = append(pod.Spec.Volumes,
		corev1.Volume{Name: "fabric-operator", VolumeSource: corev1.VolumeSource{
			EmptyDir: &corev1.EmptyDirVolumeSource{Medium: corev1.StorageMediumMemory, SizeLimit: &size}}},
		corev1.Volume{Name: "fabric-operator-token", VolumeSource: corev1.VolumeSource{
			Projected: &corev1.ProjectedVolumeSource{Sources: []corev1.VolumeProjection{{
				ServiceAccountToken: &corev1.ServiceAccountTokenProjection{
					Audience: "fabric-operator-jobs", ExpirationSeconds: pointer(int64(3600)), Path: "token"}}}}}})
	application := &pod.Spec.Containers[0]
	command := []string{"/run/fabric-operator/launcher", "--ranks", "1", "--"}
	application.Command = append(append(command, application.Command...), application.Args...)
	application.Args = nil
	run := corev1.VolumeMount{Name: "fabric-operator", MountPath: "/run/fabric-operator"}
	application.VolumeMounts = append(application.VolumeMounts, run)
	pmixd := corev1.Container{
		Name:  "fabric-pmixd",
		Image: "registry.example/pmixd:test",
		Env: []corev1.EnvVar{
			{Name: "FABRIC_JOB_SERVICE", Value: "https://fabric-operator-jobs.fabric-operator.svc:9444"},
			{Name: "FABRIC_JOB_SERVICE_CA", Value: os.Getenv("CA")},
			field("POD_NAME", "metadata.name"), field("POD_NAMESPACE", "metadata.namespace"),
			field("POD_IP", "status.podIP"), field("NODE_NAME", "spec.nodeName"),
			{Name: "POD_RESTART_POLICY", Value: string(pod.Spec.RestartPolicy)},
			{Name: "FABRIC_RANKS_PER_POD", Value: "1"}, {Name: "FABRIC_ASSEMBLY_TIMEOUT_SECONDS", Value: "600"},
		},
		VolumeMounts: []corev1.VolumeMount{run,
			{Name: "fabric-operator-token", MountPath: "/var/run/secrets/fabric-operator", ReadOnly: true}},
		Lifecycle: &corev1.Lifecycle{PostStart: &corev1.LifecycleHandler{Exec: &corev1.ExecAction{
			Command: []string{"/usr/local/bin/fabric-launcher", "--install", "/run/fabric-operator/launcher"}}}},
		SecurityContext: &corev1.SecurityContext{
			AllowPrivilegeEscalation: pointer(false), Privileged: pointer(false), RunAsNonRoot: pointer(true),
			RunAsUser:      pointer(int64(65532)),
			Capabilities:   &corev1.Capabilities{Drop: []corev1.Capability{"ALL"}},
			SeccompProfile: &corev1.SeccompProfile{Type: corev1.SeccompProfileTypeRuntimeDefault}},
		TerminationMessagePolicy: corev1.TerminationMessageFallbackToLogsOnError,
	}
	pod.Spec.Containers = append([]corev1.Container{pmixd}, pod.Spec.Containers...)
	changed, err := json.Marshal(pod)
	if err != nil {
		return admission.Errored(http.StatusInternalServerError, err)
	}
	return admission.PatchResponseFromRaw(request.Object.Raw, changed)
}

func main() {
	log.SetLogger(zap.New())
	port, err := strconv.Atoi(os.Args[1])
	if err != nil {
		panic(err)
	}
	scheme := runtime.NewScheme()
	if err := clientgoscheme.AddToScheme(scheme); err != nil {
		panic(err)
	}
	server := webhook.NewServer(webhook.Options{Host: "127.0.0.1", Port: port, CertDir: os.Args[2]})
	server.Register("/pods", &admission.Webhook{Handler: &injector{decoder: admission.NewDecoder(scheme)}})
	if err := server.Start(ctrl.SetupSignalHandler()); err != nil {
		panic(err)
	}
}
