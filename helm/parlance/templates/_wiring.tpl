{{/* Who talks to whom, and who waits for which topic. scripts/deployment.spec.ts holds these against the services' sources. */}}

{{/* Services that a service calls by gRPC, as YAML. */}}
{{- define "parlance.calls" -}}
gateway: [ingest, search, summary, transcription, webhook-dispatcher]
ingest: [gateway, transcription]
search: [ingest, transcription]
summary: [ingest, transcription]
transcription: [summary]
webhook-dispatcher: [summary, transcription]
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
