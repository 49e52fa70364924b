{{- /* Init containers that put the credential provider on the host, or take it away. Empty: there are none. */ -}}
{{- define "polycloud.installContainers" -}}
{{- $install := .Values.agent.install -}}
{{- if eq $install.mode "install" }}
# Without a shell, without root and without a capability. It sees nothing of the host.
- name: copy-credential-provider
  image: {{ include "polycloud.image" (dict "root" . "image" $install.image) | quote }}
  imagePullPolicy: {{ .Values.image.pullPolicy }}
  args: [copy, /provider]
  terminationMessagePolicy: FallbackToLogsOnError
  resources:
    {{- toYaml $install.resources | nindent 4 }}
  securityContext:
    runAsNonRoot: true
    runAsUser: 65532
    runAsGroup: 65532
    {{- include "polycloud.containerSecurity" . | nindent 4 }}
  volumeMounts:
    - name: provider
      mountPath: /provider
{{- end }}
{{- if ne $install.mode "none" }}
- name: {{ $install.mode }}
  image: {{ include "polycloud.image" (dict "root" . "image" .Values.agent.image) | quote }}
  imagePullPolicy: {{ .Values.image.pullPolicy }}
  args:
    - {{ $install.mode }}
    - --host-root=/host
    {{- if eq $install.mode "install" }}
    - --source=/provider
    {{- with $install.registries }}
    - --registries={{ join "," . }}
    {{- end }}
    {{- if $install.pods }}
    - --pods
    {{- end }}
    {{- if $install.hostBroker }}
    - --host-broker
    {{- end }}
    {{- if .Values.dryRun }}
    - --dry-run
    {{- end }}
    {{- range $install.extraArgs }}
    - {{ . | quote }}
    {{- end }}
    {{- end }}
    {{- if $install.restartKubelet }}
    - --restart-kubelet
  env:
    - name: NODE_NAME
      valueFrom:
        fieldRef:
          fieldPath: spec.nodeName
    {{- with include "polycloud.env" (dict "root" . "extra" list) | trim }}
    {{- . | nindent 4 }}
    {{- end }}
    {{- end }}
  # A failure is one line with a hint. `kubectl describe pod` shows it.
  terminationMessagePolicy: FallbackToLogsOnError
  resources:
    {{- toYaml $install.resources | nindent 4 }}
  # The files belong to root, in directories that differ from one distribution to the next. As root it needs no capability to
  # write them. With SELinux or AppArmor, an ordinary container could not write them, or not reach systemd's D-Bus socket.
  securityContext:
    runAsNonRoot: false
    runAsUser: 0
    runAsGroup: 0
    seLinuxOptions:
      type: spc_t
    appArmorProfile:
      type: Unconfined
    {{- include "polycloud.containerSecurity" . | nindent 4 }}
  volumeMounts:
    - name: host
      mountPath: /host
    {{- if $install.restartKubelet }}
    {{- include "polycloud.tokenMount" . | nindent 4 }}
    {{- end }}
    {{- if eq $install.mode "install" }}
    - name: provider
      mountPath: /provider
      readOnly: true
    {{- end }}
{{- end }}
{{- end -}}

{{- define "polycloud.installVolumes" -}}
{{- $mode := .Values.agent.install.mode -}}
{{- if ne $mode "none" }}
- name: host
  hostPath:
    path: /
    type: Directory
{{- end }}
{{- if eq $mode "install" }}
- name: provider
  emptyDir:
    sizeLimit: 256Mi
{{- end }}
{{- end -}}
