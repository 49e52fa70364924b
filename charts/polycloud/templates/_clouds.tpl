{{- /* Generated from clouds/<name>/traits.ts by `npm run generate`. */}}

{{- /* What the clouds' own labels on Nodes begin with, as JSON. */}}
{{- define "polycloud.labelPrefixes" -}}
["topology.k8s.aws/","topology.kubernetes.azure.com/","polycloud.dev/openstack-","polycloud.dev/vsphere-"]
{{- end }}

{{- /* Other names of clouds, as JSON, with their names. */}}
{{- define "polycloud.cloudAliases" -}}
{"gce":"gcp"}
{{- end }}

{{- /* Clouds whose machines agents can describe, as JSON. */}}
{{- define "polycloud.cloudsWithMetadata" -}}
["aws","azure","digitalocean","gcp","openstack","static"]
{{- end }}

{{- /* Clouds that announce interruptions, by all their names, as JSON. */}}
{{- define "polycloud.cloudsWithNotices" -}}
["aws","azure","gcp","gce"]
{{- end }}
