{{- define "polycloud.fullname" -}}
{{- if .Values.fullnameOverride -}}
{{- .Values.fullnameOverride | trunc 45 | trimSuffix "-" -}}
{{- else -}}
{{- $name := default .Chart.Name .Values.nameOverride -}}
{{- $whole := contains $name .Release.Name | ternary .Release.Name (printf "%s-%s" .Release.Name $name) -}}
{{- $whole | trunc 45 | trimSuffix "-" -}}
{{- end -}}
{{- end -}}

{{- define "polycloud.ccmName" -}}
{{ include "polycloud.fullname" . }}-ccm
{{- end -}}

{{- define "polycloud.agentName" -}}
{{ include "polycloud.fullname" . }}-node-agent
{{- end -}}

{{- define "polycloud.configName" -}}
{{ include "polycloud.fullname" . }}-config
{{- end -}}

{{- define "polycloud.labels" -}}
helm.sh/chart: {{ printf "%s-%s" .Chart.Name (.Chart.Version | replace "+" "_") }}
app.kubernetes.io/name: {{ default .Chart.Name .Values.nameOverride | trunc 63 }}
app.kubernetes.io/instance: {{ .Release.Name }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
{{- end -}}

{{- /* The context and the component: what a selector selects can never change, so it is only this. */ -}}
{{- define "polycloud.selector" -}}
app.kubernetes.io/name: {{ default .root.Chart.Name .root.Values.nameOverride | trunc 63 }}
app.kubernetes.io/instance: {{ .root.Release.Name }}
app.kubernetes.io/component: {{ .component }}
{{- end -}}

{{- /* The clouds by their names, each once, separated by commas. */ -}}
{{- define "polycloud.clouds" -}}
{{- $aliases := include "polycloud.cloudAliases" . | fromJson -}}
{{- $names := list -}}
{{- range .Values.clouds }}{{ $names = append $names (get $aliases . | default .) }}{{ end -}}
{{- $names | uniq | join "," -}}
{{- end -}}

{{- /* Those whose machines agents can describe. The controller describes the others. */ -}}
{{- define "polycloud.agentClouds" -}}
{{- $described := include "polycloud.cloudsWithMetadata" . | fromJsonArray -}}
{{- $names := list -}}
{{- range include "polycloud.clouds" . | splitList "," }}{{ if has . $described }}{{ $names = append $names . }}{{ end }}{{ end -}}
{{- $names | join "," -}}
{{- end -}}

{{- /* Not empty if a cloud of the agents announces interruptions. */ -}}
{{- define "polycloud.announcesInterruptions" -}}
{{- $announcing := include "polycloud.cloudsWithNotices" . | fromJsonArray -}}
{{- $clouds := empty .Values.agent.cloud | ternary .Values.clouds (list .Values.agent.cloud) -}}
{{- range $clouds }}{{ if has . $announcing }}yes{{ end }}{{ end -}}
{{- end -}}

{{- /* What agents do about notices. `ignore` where no cloud of theirs has any: then they get no permission for it. */ -}}
{{- define "polycloud.interruptionMode" -}}
{{- include "polycloud.announcesInterruptions" . | empty | ternary "ignore" .Values.agent.interruption.mode -}}
{{- end -}}

{{- /* A list of texts in the language of admission policies. */ -}}
{{- define "polycloud.celList" -}}
{{- $texts := list -}}
{{- range . }}{{ $texts = append $texts (squote .) }}{{ end -}}
[{{ join ", " $texts }}]
{{- end -}}
