{{- /* A headless Service, since a ServiceMonitor takes a pod's token to the pods, and what it needs to read /metrics. */ -}}
{{- define "polycloud.monitoring" -}}
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
      targetPort: https
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
        # The certificate is made at the start and signed by nobody.
        insecureSkipVerify: true
{{- with .settings.serviceMonitor.readers }}
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
