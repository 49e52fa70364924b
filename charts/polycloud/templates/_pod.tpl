{{- /* Of the image settings of one program. */ -}}
{{- define "polycloud.image" -}}
{{- $registry := .root.Values.image.registry | trimSuffix "/" -}}
{{- $name := ternary .image.repository (printf "%s/%s" $registry .image.repository) (empty $registry) -}}
{{- if .image.digest -}}
{{ $name }}@{{ .image.digest }}
{{- else -}}
{{ $name }}:{{ .image.tag | default .root.Values.image.tag | default .root.Chart.AppVersion }}
{{- end -}}
{{- end -}}

{{- /* The group is what makes the token readable to a user that is not root. */ -}}
{{- define "polycloud.podSecurity" -}}
runAsNonRoot: true
runAsUser: 65532
runAsGroup: 65532
fsGroup: 65532
seccompProfile:
  type: RuntimeDefault
{{- end -}}

{{- define "polycloud.containerSecurity" -}}
allowPrivilegeEscalation: false
readOnlyRootFilesystem: true
capabilities:
  drop: [ALL]
{{- end -}}

{{- /* Where the API server is, and what the user adds for one program. */ -}}
{{- define "polycloud.env" -}}
{{- with .root.Values.kubernetesApi.host }}
- name: KUBERNETES_SERVICE_HOST
  value: {{ . | quote }}
{{- end }}
{{- with .root.Values.kubernetesApi.port }}
- name: KUBERNETES_SERVICE_PORT
  value: {{ . | quote }}
{{- end }}
{{- with .extra }}
{{ toYaml . }}
{{- end }}
{{- end -}}

{{- define "polycloud.pullSecrets" -}}
{{- range .Values.image.pullSecrets }}
- name: {{ . }}
{{- end }}
{{- end -}}

{{- /* In place of the mounted one, which is good for a year: this one is good for an hour. Both end with the pod. */ -}}
{{- define "polycloud.tokenVolume" -}}
- name: api-access
  projected:
    defaultMode: 0440
    sources:
      - serviceAccountToken:
          path: token
          expirationSeconds: 3600
      - configMap:
          name: kube-root-ca.crt
          items:
            - key: ca.crt
              path: ca.crt
      - downwardAPI:
          items:
            - path: namespace
              fieldRef:
                fieldPath: metadata.namespace
{{- end -}}

{{- define "polycloud.tokenMount" -}}
- name: api-access
  mountPath: /var/run/secrets/kubernetes.io/serviceaccount
  readOnly: true
{{- end -}}

{{- /* Of the settings of one program: its own certificate. */}}
{{- define "polycloud.certificateArgs" -}}
{{- if .certificate.secretName }}
- --tls-cert-file=/etc/ssl/polycloud/tls.crt
- --tls-private-key-file=/etc/ssl/polycloud/tls.key
{{- end }}
{{- end -}}

{{- define "polycloud.certificateVolume" -}}
{{- with .certificate.secretName }}
- name: certificate
  secret:
    secretName: {{ . }}
    defaultMode: 0440
{{- end }}
{{- end -}}

{{- define "polycloud.certificateMount" -}}
{{- if .certificate.secretName }}
- name: certificate
  mountPath: /etc/ssl/polycloud
  readOnly: true
{{- end }}
{{- end -}}
