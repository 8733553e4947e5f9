{{/* Who talks to whom, and who waits for which topic. scripts/deployment.spec.ts holds these against the services' sources. */}}

{{/* Services that a service calls by gRPC, as YAML. */}}
{{- define "parlance.calls" -}}
gateway: [ingest, search, summary, transcription, webhook-dispatcher]
ingest: [gateway, transcription]
search: [ingest, transcription]
summary: [ingest, transcription]
{{- end -}}

{{/* The queue by whose lag KEDA scales a service, as YAML. A consumer group's name is `<topic>.<group>`. */}}
{{- define "parlance.queues" -}}
ingest: {topic: parlance.ingest-tasks.v1, group: ingest}
transcription: {topic: parlance.chunk-tasks.v1, group: transcription}
diarization: {topic: parlance.media.v1, group: diarization}
summary: {topic: parlance.transcripts.v1, group: summary}
search: {topic: parlance.transcripts.v1, group: search}
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
