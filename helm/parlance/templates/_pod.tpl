{{/* What every pod of the chart has, of (dict "root" $ "name" …): no token, no privilege, nothing writable but /tmp and /data. */}}

{{- define "parlance.podSecurity" -}}
automountServiceAccountToken: false
enableServiceLinks: false
securityContext:
  runAsNonRoot: true
  runAsUser: 10001
  runAsGroup: 10001
  fsGroup: 10001
  fsGroupChangePolicy: OnRootMismatch
  seccompProfile: {type: RuntimeDefault}
dnsConfig:
  options:
    # Names here are full: no search list is tried first.
    - {name: ndots, value: "2"}
{{- with .root.Values.imagePullSecrets }}
imagePullSecrets:
  {{- range . }}
  - name: {{ . }}
  {{- end }}
{{- end }}
{{- with .root.Values.priorityClassName }}
priorityClassName: {{ . }}
{{- end }}
{{- end -}}

{{- define "parlance.containerSecurity" -}}
securityContext:
  allowPrivilegeEscalation: false
  readOnlyRootFilesystem: true
  capabilities: {drop: [ALL]}
image: {{ include "parlance.image" .root }}
imagePullPolicy: {{ .root.Values.image.pullPolicy }}
{{- end -}}

{{/* Also takes "scratchSize". */}}
{{- define "parlance.volumes" -}}
- name: tmp
  emptyDir: {sizeLimit: 256Mi}
- name: data
  emptyDir: {sizeLimit: {{ .scratchSize }}}
{{- with .root.Values.trustedCertificates.existingConfigMap }}
- name: trusted
  configMap: {name: {{ . }}}
{{- end }}
{{- if and .root.Values.grpcTls.existingSecret (hasKey .root.Values.services .name) }}
- name: grpc
  secret: {secretName: {{ .root.Values.grpcTls.existingSecret }}, defaultMode: 0440}
{{- end }}
{{- if and .root.Values.gatewayTls.existingSecret (eq .name "gateway") }}
- name: https
  secret: {secretName: {{ .root.Values.gatewayTls.existingSecret }}, defaultMode: 0440}
{{- end }}
{{- with .root.Values.extraVolumes }}
{{ toYaml . }}
{{- end }}
{{- end -}}

{{- define "parlance.volumeMounts" -}}
- {name: tmp, mountPath: /tmp}
- {name: data, mountPath: /data}
{{- if .root.Values.trustedCertificates.existingConfigMap }}
- {name: trusted, mountPath: /etc/parlance/trusted, readOnly: true}
{{- end }}
{{- if and .root.Values.grpcTls.existingSecret (hasKey .root.Values.services .name) }}
- {name: grpc, mountPath: /etc/parlance/grpc, readOnly: true}
{{- end }}
{{- if and .root.Values.gatewayTls.existingSecret (eq .name "gateway") }}
- {name: https, mountPath: /etc/parlance/https, readOnly: true}
{{- end }}
{{- with .root.Values.extraVolumeMounts }}
{{ toYaml . }}
{{- end }}
{{- end -}}

{{/* Where the pod may run, of (dict "root" $ "of" values-that-win). */}}
{{- define "parlance.placement" -}}
{{- with .of.nodeSelector | default .root.Values.nodeSelector }}
nodeSelector: {{- toYaml . | nindent 2 }}
{{- end }}
{{- with .of.tolerations | default .root.Values.tolerations }}
tolerations: {{- toYaml . | nindent 2 }}
{{- end }}
{{- end -}}
