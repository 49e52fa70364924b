{{- /* What the schema of the values cannot say, or not in words that help. */ -}}
{{- define "polycloud.checks" -}}
{{- range .Values.agent.extraLabels -}}
{{- if regexMatch "^([a-z0-9.-]+\\.)?(kubernetes\\.io|k8s\\.io|polycloud\\.dev)/" . -}}
{{- fail (printf "agent.extraLabels: %s is of Kubernetes or ours, and with it a stolen token could lead pods to its node; leave it out" .) -}}
{{- end -}}
{{- end -}}
{{- if and .Values.agent.enabled (not .Values.agent.nodeSync.enabled) (not .Values.agent.broker.enabled) -}}
{{- fail "agent.nodeSync.enabled and agent.broker.enabled are both false, which leaves agents nothing to do; set agent.enabled to false" -}}
{{- end -}}
{{- if hasKey .Values.configFiles "config.yaml" -}}
{{- fail "configFiles: config.yaml is made of `config`; put the settings there" -}}
{{- end -}}
{{- if and .Values.kubernetesApi.port (not .Values.kubernetesApi.host) -}}
{{- fail "kubernetesApi.port is given without kubernetesApi.host; give both or neither" -}}
{{- end -}}
{{- end -}}
