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

{{/* The volume of a pod's temporary files, of (dict "root" $ "name" … "size" …): in memory where recordings are in clear and the operator asks for it. */}}
{{- define "parlance.scratch" -}}
{{- if and .root.Values.scratchMedium (has .name (list "ingest" "media-decoder" "transcription")) -}}
{medium: {{ .root.Values.scratchMedium }}, sizeLimit: {{ .size }}}
{{- else -}}
{sizeLimit: {{ .size }}}
{{- end -}}
{{- end -}}

{{/* Also takes "scratchSize". */}}
{{- define "parlance.volumes" -}}
- name: tmp
  emptyDir: {sizeLimit: 256Mi}
- name: data
  emptyDir: {{ include "parlance.scratch" (dict "root" .root "name" .name "size" .scratchSize) }}
{{- with .root.Values.trustedCertificates.existingConfigMap }}
- name: trusted
  configMap: {name: {{ . }}}
{{- end }}
{{- if and .root.Values.grpcTls.existingSecret (hasKey .root.Values.services .name) }}
- name: grpc
  secret: {secretName: {{ .root.Values.grpcTls.existingSecret }}, defaultMode: 0440}
{{- end }}
{{- if and .root.Values.encryption.masterKeys.existingSecret (hasKey .root.Values.services .name) }}
- name: keys
  secret: {secretName: {{ .root.Values.encryption.masterKeys.existingSecret }}, defaultMode: 0440}
{{- end }}
{{- if and (include "parlance.logsInToVault" .root) (hasKey .root.Values.services .name) }}
- name: account-token
  projected: {defaultMode: 0440, sources: [{serviceAccountToken: {path: token, expirationSeconds: 3600}}]}
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
{{- if and .root.Values.encryption.masterKeys.existingSecret (hasKey .root.Values.services .name) }}
- {name: keys, mountPath: /etc/parlance/keys, readOnly: true}
{{- end }}
{{- if and (include "parlance.logsInToVault" .root) (hasKey .root.Values.services .name) }}
- {name: account-token, mountPath: /var/run/secrets/kubernetes.io/serviceaccount, readOnly: true}
{{- end }}
{{- if and .root.Values.gatewayTls.existingSecret (eq .name "gateway") }}
- {name: https, mountPath: /etc/parlance/https, readOnly: true}
{{- end }}
{{- with .root.Values.extraVolumeMounts }}
{{ toYaml . }}
{{- end }}
{{- end -}}

{{/* Not empty when pods show Vault the token of their service account, which they have for nothing else. */}}
{{- define "parlance.logsInToVault" -}}
{{- if regexMatch "^vault-transit:.*[?&]role=" .Values.encryption.keyProvider -}}yes{{- end -}}
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
