{{/* Who talks to whom, and who waits for which topic. scripts/deployment.spec.ts holds these against the services' sources. */}}

{{/* Services that a service calls by gRPC, as YAML. */}}
{{- define "parlance.calls" -}}
gateway: [ingest, search, summary, transcription, webhook-dispatcher]
ingest: [gateway, summary, transcription]
search: [ingest, transcription]
summary: [ingest, transcription]
transcription: [summary]
webhook-dispatcher: [ingest, summary, transcription]
{{- end -}}

{{/* The queue by which KEDA scales a service, as YAML: task queues by their waiting and running tasks, or a consumer group, whose name is `<topic>.<group>`, by its lag. */}}
{{- define "parlance.queues" -}}
ingest: {tasks: [ingest-fetch, ingest-decode]}
transcription: {tasks: [transcription]}
diarization: {tasks: [diarization]}
summary: {tasks: [summary, highlights, chapters, entities]}
search: {tasks: [search]}
webhook-dispatcher: {topic: parlance.jobs.v1, group: webhook-dispatcher}
{{- end -}}

{{/* The measure of live sessions by which KEDA scales a service, as YAML: each pod reports its own, and the threshold's name in the service's autoscaling. */}}
{{- define "parlance.liveMeasures" -}}
gateway: {metric: parlance_live_sessions_open, threshold: liveSessionsThreshold}
transcription: {metric: parlance_live_streams, threshold: liveStreamsThreshold}
{{- end -}}

{{/* Not empty when any service sends traces to a collector. */}}
{{- define "parlance.traces" -}}
{{- $given := list .Values.config .Values.secrets.keys -}}
{{- range .Values.services -}}{{- $given = append $given .config -}}{{- end -}}
{{- range $given -}}
{{- if or (hasKey . "OTEL_EXPORTER_OTLP_ENDPOINT") (hasKey . "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT") -}}yes{{- end -}}
{{- end -}}
{{- end -}}

{{/* Services that reach the internet: media by URL, webhooks. */}}
{{- define "parlance.outward" -}}
[ingest, webhook-dispatcher]
{{- end -}}
