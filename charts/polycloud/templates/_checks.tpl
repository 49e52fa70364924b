{{- /* Checks that the schema of the values cannot express, or not with a helpful message. */ -}}
{{- define "polycloud.checks" -}}
{{- range .Values.agent.extraLabels -}}
{{- if regexMatch "^([a-z0-9.-]+\\.)?(kubernetes\\.io|k8s\\.io|polycloud\\.dev)/" . -}}
{{- fail (printf "agent.extraLabels: %s is a label of Kubernetes or polycloud, and with it a stolen token could attract pods to its node; hint: leave it out" .) -}}
{{- end -}}
{{- end -}}
{{- if and .Values.agent.enabled (not .Values.agent.nodeSync.enabled) (not .Values.agent.broker.enabled) -}}
{{- fail "agent.nodeSync.enabled and agent.broker.enabled are both false, which leaves agents nothing to do; hint: set agent.enabled to false" -}}
{{- end -}}
{{- if and .Values.agent.enabled .Values.agent.nodeSync.enabled (empty .Values.agent.cloud) (empty (include "polycloud.agentClouds" .)) -}}
{{- fail (printf "agent.enabled is true, and agents cannot describe machines of %s, which has no metadata service; hint: set agent.enabled to false, or agent.nodeSync.enabled to false for agents that only serve registry logins" (include "polycloud.clouds" . | replace "," ", ")) -}}
{{- end -}}
{{- if and (ne .Values.agent.install.mode "none") (not .Values.agent.enabled) -}}
{{- fail (printf "agent.install.mode is %s, and agent.enabled is false, so there is no pod that does it; hint: set agent.enabled to true" .Values.agent.install.mode) -}}
{{- end -}}
{{- if and (eq .Values.agent.install.mode "uninstall") .Values.dryRun -}}
{{- fail "agent.install.mode is uninstall, which has no dry run; hint: set dryRun to false, or agent.install.mode to none" -}}
{{- end -}}
{{- if and .Values.agent.serviceMonitor.enabled .Values.agent.podMonitor.enabled -}}
{{- fail "agent.serviceMonitor.enabled and agent.podMonitor.enabled are both true, so each agent would be scraped twice; hint: choose one" -}}
{{- end -}}
{{- if hasKey .Values.configFiles "config.yaml" -}}
{{- fail "configFiles: the chart creates config.yaml from `config`; hint: put the settings there" -}}
{{- end -}}
{{- if and .Values.ccm.routes.enabled (empty .Values.ccm.routes.clusterCidrs) -}}
{{- fail "ccm.routes.enabled is true without ccm.routes.clusterCidrs; hint: give the range of all pod CIDRs" -}}
{{- end -}}
{{- if and .Values.kubernetesApi.port (not .Values.kubernetesApi.host) -}}
{{- fail "kubernetesApi.port is set without kubernetesApi.host; hint: set both or neither" -}}
{{- end -}}
{{- end -}}
