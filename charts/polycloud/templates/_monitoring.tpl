{{- /* Of a component and its settings. A headless Service, since a scraper shows its token to each pod. */ -}}
{{- define "polycloud.monitoring" -}}
{{- $podMonitor := .settings.podMonitor | default dict -}}
{{- $hasPodMonitor := and $podMonitor.enabled (include "polycloud.hasKind" (list .root "PodMonitor")) -}}
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
{{- if and .settings.serviceMonitor.enabled (include "polycloud.hasKind" (list .root "ServiceMonitor")) }}
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
        {{- include "polycloud.scrapeTls" . | nindent 8 }}
{{- end }}
{{- if $hasPodMonitor }}
---
apiVersion: monitoring.coreos.com/v1
kind: PodMonitor
metadata:
  name: {{ .name }}
  namespace: {{ .root.Release.Namespace }}
  labels:
    {{- include "polycloud.labels" .root | nindent 4 }}
    app.kubernetes.io/component: {{ .component }}
    {{- with $podMonitor.labels }}
    {{- toYaml . | nindent 4 }}
    {{- end }}
spec:
  selector:
    matchLabels:
      {{- include "polycloud.selector" . | nindent 6 }}
  podMetricsEndpoints:
    - port: https
      scheme: https
      path: /metrics
      interval: {{ $podMonitor.interval }}
      # A PodMonitor cannot use Prometheus's own token.
      authorization:
        credentials:
          name: {{ .name }}-scraper
          key: token
      tlsConfig:
        {{- include "polycloud.scrapeTls" . | nindent 8 }}
---
# Its only right is to read /metrics.
apiVersion: v1
kind: ServiceAccount
metadata:
  name: {{ .name }}-scraper
  namespace: {{ .root.Release.Namespace }}
  labels:
    {{- include "polycloud.labels" .root | nindent 4 }}
    app.kubernetes.io/component: {{ .component }}
automountServiceAccountToken: false
---
apiVersion: v1
kind: Secret
metadata:
  name: {{ .name }}-scraper
  namespace: {{ .root.Release.Namespace }}
  labels:
    {{- include "polycloud.labels" .root | nindent 4 }}
    app.kubernetes.io/component: {{ .component }}
  annotations:
    kubernetes.io/service-account.name: {{ .name }}-scraper
type: kubernetes.io/service-account-token
{{- end }}
{{- $readers := .settings.metrics.readers }}
{{- if $hasPodMonitor }}
{{- $readers = append $readers (dict "name" (printf "%s-scraper" .name) "namespace" .root.Release.Namespace) }}
{{- end }}
{{- with $readers }}
{{- include "polycloud.readers" (dict "about" $ "path" "/metrics" "suffix" "metrics" "readers" .) }}
{{- end }}
{{- with .settings.status.readers }}
{{- include "polycloud.readers" (dict "about" $ "path" "/statusz" "suffix" "status" "readers" .) }}
{{- end }}
{{- end -}}

{{- /* Lets accounts, users or groups read a page. */ -}}
{{- define "polycloud.readers" }}
---
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRole
metadata:
  name: {{ .about.name }}-{{ .suffix }}
  labels:
    {{- include "polycloud.labels" .about.root | nindent 4 }}
    app.kubernetes.io/component: {{ .about.component }}
rules:
  - nonResourceURLs: [{{ .path }}]
    verbs: [get]
---
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRoleBinding
metadata:
  name: {{ .about.name }}-{{ .suffix }}
  labels:
    {{- include "polycloud.labels" .about.root | nindent 4 }}
    app.kubernetes.io/component: {{ .about.component }}
roleRef:
  apiGroup: rbac.authorization.k8s.io
  kind: ClusterRole
  name: {{ .about.name }}-{{ .suffix }}
subjects:
  {{- range .readers }}
  - kind: {{ .kind | default "ServiceAccount" }}
    name: {{ .name }}
    {{- if .namespace }}
    namespace: {{ .namespace }}
    {{- else }}
    apiGroup: rbac.authorization.k8s.io
    {{- end }}
  {{- end }}
{{- end -}}

{{- /* How a scraper verifies the certificate. The one that a program creates at its start is self-signed. */ -}}
{{- define "polycloud.scrapeTls" -}}
{{- if .settings.certificate.secretName -}}
ca:
  secret:
    name: {{ .settings.certificate.secretName }}
    key: ca.crt
serverName: {{ include "polycloud.certificateName" . }}
{{- else -}}
insecureSkipVerify: true
{{- end -}}
{{- end -}}

{{- /* The name in the certificate of a component. */ -}}
{{- define "polycloud.certificateName" -}}
{{ .settings.certificate.serverName | default (printf "%s.%s.svc" .name .root.Release.Namespace) }}
{{- end -}}

{{- /* Not empty where the cluster knows this kind of the Prometheus operator: a list of the root and the kind. */ -}}
{{- define "polycloud.hasKind" -}}
{{- if (index . 0).Capabilities.APIVersions.Has (printf "monitoring.coreos.com/v1/%s" (index . 1)) }}yes{{ end -}}
{{- end -}}

{{- /* The kinds of the Prometheus operator that the values ask for and the cluster does not know, with commas. */ -}}
{{- define "polycloud.missingKinds" -}}
{{- $asked := dict -}}
{{- range $settings := list .Values.ccm .Values.agent -}}
{{- if and $settings.enabled $settings.serviceMonitor.enabled }}{{ $_ := set $asked "ServiceMonitor" true }}{{ end -}}
{{- end -}}
{{- if and .Values.agent.enabled .Values.agent.podMonitor.enabled }}{{ $_ := set $asked "PodMonitor" true }}{{ end -}}
{{- if .Values.prometheusRule.enabled }}{{ $_ := set $asked "PrometheusRule" true }}{{ end -}}
{{- $missing := list -}}
{{- range $kind := keys $asked | sortAlpha -}}
{{- if not (include "polycloud.hasKind" (list $ $kind)) }}{{ $missing = append $missing $kind }}{{ end -}}
{{- end -}}
{{- join ", " $missing -}}
{{- end -}}
