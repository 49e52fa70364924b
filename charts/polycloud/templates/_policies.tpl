{{- /* Variables of a policy about Nodes: each part before and after the request, and the keys that differ. */ -}}
{{- define "polycloud.nodeChanges" -}}
{{- /* Maps, so that fields are spoken of that this version of Kubernetes may not have yet, or no longer. */ -}}
{{- range $name, $path := dict "metadata" "metadata" "labels" "metadata.?labels" "annotations" "metadata.?annotations" "spec" "spec" "status" "status" }}
- name: {{ $name }}
  expression: dyn(object).?{{ $path }}.orValue({})
- name: {{ $name }}Before
  expression: dyn(oldObject).?{{ $path }}.orValue({})
- name: {{ $name }}Changed
  expression: >-
    variables.{{ $name }}.filter(key, !(key in variables.{{ $name }}Before) || variables.{{ $name }}Before[key] != variables.{{ $name }}[key])
    + variables.{{ $name }}Before.filter(key, !(key in variables.{{ $name }}))
{{- end }}
- name: taints
  expression: variables.spec.?taints.orValue([])
- name: taintsBefore
  expression: variables.specBefore.?taints.orValue([])
- name: conditions
  expression: variables.status.?conditions.orValue([])
- name: conditionsBefore
  expression: variables.statusBefore.?conditions.orValue([])
{{- end -}}

{{- /* Labels of Kubernetes that come from the instance. */ -}}
{{- define "polycloud.instanceLabels" -}}
["node.kubernetes.io/instance-type", "beta.kubernetes.io/instance-type", "topology.kubernetes.io/zone", "topology.kubernetes.io/region", "failure-domain.beta.kubernetes.io/zone", "failure-domain.beta.kubernetes.io/region"]
{{- end -}}

{{- /* Makes the policy of this name refuse requests. */ -}}
{{- define "polycloud.policyBinding" -}}
apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingAdmissionPolicyBinding
metadata:
  name: {{ .name }}
  labels:
    {{- include "polycloud.labels" .root | nindent 4 }}
    app.kubernetes.io/component: {{ .component }}
spec:
  policyName: {{ .name }}
  validationActions: [Deny]
{{- end -}}
