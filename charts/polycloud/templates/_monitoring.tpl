{{- /* Of a component and its settings. A headless Service, since a scraper shows its token to each pod. */ -}}
{{- define "polycloud.monitoring" -}}
{{- if or .settings.metrics.enabled .settings.serviceMonitor.enabled }}
---
apiVersion: v1
kind: Service
metadata:
  name: {{ .name }}
  namespace: {{ .root.Release.Namespace }}
  labels:
    {{- include "polycloud.labels" .root | nindent 4 }}
    app.kubernetes.io/component: {{ .component }}
spec:
  clusterIP: None
  selector:
    {{- include "polycloud.selector" . | nindent 4 }}
  ports:
    - name: https
      port: {{ .settings.port }}
      targetPort: {{ .settings.port }}
{{- end }}
{{- if and .settings.serviceMonitor.enabled (include "polycloud.hasServiceMonitors" .root) }}
---
apiVersion: monitoring.coreos.com/v1
kind: ServiceMonitor
metadata:
  name: {{ .name }}
  namespace: {{ .root.Release.Namespace }}
  labels:
    {{- include "polycloud.labels" .root | nindent 4 }}
    app.kubernetes.io/component: {{ .component }}
    {{- with .settings.serviceMonitor.labels }}
    {{- toYaml . | nindent 4 }}
    {{- end }}
spec:
  selector:
    matchLabels:
      {{- include "polycloud.selector" . | nindent 6 }}
  endpoints:
    - port: https
      scheme: https
      path: /metrics
      interval: {{ .settings.serviceMonitor.interval }}
      bearerTokenFile: /var/run/secrets/kubernetes.io/serviceaccount/token
      tlsConfig:
        # The certificate is created at the start and self-signed.
        insecureSkipVerify: true
{{- end }}
{{- with .settings.metrics.readers }}
---
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRole
metadata:
  name: {{ $.name }}-metrics
  labels:
    {{- include "polycloud.labels" $.root | nindent 4 }}
    app.kubernetes.io/component: {{ $.component }}
rules:
  - nonResourceURLs: [/metrics]
    verbs: [get]
---
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRoleBinding
metadata:
  name: {{ $.name }}-metrics
  labels:
    {{- include "polycloud.labels" $.root | nindent 4 }}
    app.kubernetes.io/component: {{ $.component }}
roleRef:
  apiGroup: rbac.authorization.k8s.io
  kind: ClusterRole
  name: {{ $.name }}-metrics
subjects:
  {{- range . }}
  - kind: ServiceAccount
    name: {{ .name }}
    namespace: {{ .namespace }}
  {{- end }}
{{- end }}
{{- end -}}

{{- /* Not empty where the cluster knows the Prometheus operator's kinds. */ -}}
{{- define "polycloud.hasServiceMonitors" -}}
{{- if .Capabilities.APIVersions.Has "monitoring.coreos.com/v1/ServiceMonitor" }}yes{{ end -}}
{{- end -}}
