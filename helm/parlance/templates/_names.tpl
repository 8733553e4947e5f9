{{/* Names, labels and addresses. Those of a service take (dict "root" $ "name" "ingest"). */}}

{{- define "parlance.fullname" -}}
{{- if .Values.fullnameOverride -}}
{{- .Values.fullnameOverride | trunc 40 | trimSuffix "-" -}}
{{- else if contains .Chart.Name .Release.Name -}}
{{- .Release.Name | trunc 40 | trimSuffix "-" -}}
{{- else -}}
{{- printf "%s-%s" .Release.Name .Chart.Name | trunc 40 | trimSuffix "-" -}}
{{- end -}}
{{- end -}}

{{- define "parlance.selector" -}}
app.kubernetes.io/name: parlance
app.kubernetes.io/instance: {{ .root.Release.Name }}
app.kubernetes.io/component: {{ .name }}
{{- end -}}

{{- define "parlance.labels" -}}
helm.sh/chart: {{ printf "%s-%s" .root.Chart.Name .root.Chart.Version | replace "+" "_" }}
app.kubernetes.io/managed-by: {{ .root.Release.Service }}
app.kubernetes.io/part-of: parlance
app.kubernetes.io/version: {{ .root.Chart.AppVersion | quote }}
{{ include "parlance.selector" . }}
{{- with .root.Values.commonLabels }}
{{ toYaml . }}
{{- end }}
{{- end -}}

{{- define "parlance.image" -}}
{{- $image := .Values.image -}}
{{- $name := $image.repository -}}
{{- if $image.registry -}}{{- $name = printf "%s/%s" (trimSuffix "/" $image.registry) $name -}}{{- end -}}
{{- if $image.digest -}}{{ $name }}@{{ $image.digest }}{{- else -}}{{ $name }}:{{ $image.tag | default .Chart.AppVersion }}{{- end -}}
{{- end -}}

{{/* Headless, so that a client sees every pod and spreads its calls itself. */}}
{{- define "parlance.grpcTarget" -}}
dns:///{{ include "parlance.fullname" .root }}-{{ .name }}.{{ .root.Release.Namespace }}.svc.{{ .root.Values.clusterDomain }}:50051
{{- end -}}

{{- define "parlance.runbook" -}}
{{ trimSuffix "/" .root.Values.monitoring.prometheusRule.runbookBaseUrl }}/{{ .name }}.md
{{- end -}}
