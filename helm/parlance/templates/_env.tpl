{{/* Environment of a service's pod, of (dict "root" $ "name" "ingest"). Later lines win, so the operator's settings come last. */}}
{{- define "parlance.env" -}}
{{- $root := .root -}}
{{- $name := .name -}}
{{- $full := include "parlance.fullname" $root -}}
{{- $env := include "parlance.backends" $root | fromYaml -}}
{{- $_ := set $env "HEALTH_PORT" "9090" -}}
{{- $_ := set $env "GRPC_LISTEN" "0.0.0.0:50051" -}}
{{- $_ := set $env "SHUTDOWN_GRACE_SECONDS" (toString $root.Values.shutdownGraceSeconds) -}}
{{- range $service := keys $root.Values.services -}}
{{- $variable := printf "%s_GRPC_URL" ($service | upper | replace "-" "_") -}}
{{- $_ := set $env $variable (include "parlance.grpcTarget" (dict "root" $root "name" $service)) -}}
{{- end -}}
{{- if $root.Values.grpcTls.existingSecret -}}
{{- range $variable, $file := dict "GRPC_TLS_CERT_FILE" "tls.crt" "GRPC_TLS_KEY_FILE" "tls.key" "GRPC_TLS_CA_FILE" "ca.crt" -}}
{{- $_ := set $env $variable (printf "/etc/parlance/grpc/%s" $file) -}}
{{- end -}}
{{- with $root.Values.grpcTls.serverName -}}{{- $_ := set $env "GRPC_TLS_SERVER_NAME" . -}}{{- end -}}
{{- end -}}
{{- with $root.Values.encryption -}}
{{- if .masterKeys.existingSecret -}}{{- $_ := set $env "KEY_PROVIDER" (printf "local:/etc/parlance/keys/%s" .masterKeys.key) -}}{{- end -}}
{{- with .keyProvider -}}{{- $_ := set $env "KEY_PROVIDER" . -}}{{- end -}}
{{- if not (kindIs "invalid" .media) -}}{{- $_ := set $env "MEDIA_ENCRYPTION" (ternary "on" "off" .media) -}}{{- end -}}
{{- end -}}
{{- if $root.Values.requireTls -}}{{- $_ := set $env "REQUIRE_TLS" "true" -}}{{- end -}}
{{- if eq $name "gateway" -}}
{{- $_ := set $env "HOST" "0.0.0.0" -}}
{{- if $root.Values.gatewayTls.existingSecret -}}
{{- $_ := set $env "HTTPS_CERT_FILE" "/etc/parlance/https/tls.crt" -}}
{{- $_ := set $env "HTTPS_KEY_FILE" "/etc/parlance/https/tls.key" -}}
{{- end -}}
{{- with $root.Values.hstsMaxAgeSeconds -}}{{- $_ := set $env "HSTS_MAX_AGE_SECONDS" (toString (int64 .)) -}}{{- end -}}
{{- $_ := set $env "PORT" "3000" -}}
{{- $_ := set $env "SIGNUP" $root.Values.signup.mode -}}
{{- with $root.Values.signup.smtpUrl -}}{{- $_ := set $env "SMTP_URL" . -}}{{- end -}}
{{- with $root.Values.signup.smtpFrom -}}{{- $_ := set $env "SMTP_FROM" . -}}{{- end -}}
{{- $_ := set $env "DEFAULT_PLAN" $root.Values.plans.default -}}
{{- $_ := set $env "BILLING_MODE" $root.Values.plans.billingMode -}}
{{- with $root.Values.plans.definitions -}}{{- $_ := set $env "PLANS" (toJson .) -}}{{- end -}}
{{- with $root.Values.trustedProxies -}}{{- $_ := set $env "TRUSTED_PROXIES" (join "," .) -}}{{- else -}}
{{- /* Without them every connection seems to come from the Ingress controller. */ -}}
{{- $_ := set $env "CONNECTIONS_PER_ADDRESS" "0" -}}
{{- end -}}
{{- end -}}
{{- range $setting, $value := include "parlance.liveSettings" $root | fromYaml | dig $name dict -}}
{{- if not (empty $value) -}}{{- $_ := set $env $setting (kindIs "string" $value | ternary $value (toJson $value)) -}}{{- end -}}
{{- end -}}
{{- $decodes := and (eq $name "ingest") $root.Values.mediaDecoder.enabled -}}
{{- if $decodes -}}
{{- $_ := set $env "MEDIA_DECODER_URL" (include "parlance.grpcTarget" (dict "root" $root "name" "media-decoder")) -}}
{{- end -}}
{{- if eq $name "transcription" -}}
{{- $_ := set $env "SPEECH_ENGINE_URL" $root.Values.speechEngine.url -}}
{{- $_ := set $env "REDACTION_MODEL_URL" $root.Values.redactionModel.url -}}
{{- range $setting, $values := dict "SPEECH_ENGINES" $root.Values.speechEngine.engines "SPEECH_ENGINE_PRICES" $root.Values.speechEngine.prices -}}
{{- $entries := list -}}
{{- range $model, $value := $values -}}{{- $entries = append $entries (printf "%s=%s" $model $value) -}}{{- end -}}
{{- with $entries -}}{{- $_ := set $env $setting (join " " .) -}}{{- end -}}
{{- end -}}
{{- end -}}
{{- if has $name (list "search" "summary") -}}
{{- $_ := set $env "LANGUAGE_MODEL_URL" $root.Values.languageModel.url -}}
{{- end -}}
{{- if eq $name "search" -}}
{{- $env = mergeOverwrite $env (include "parlance.searchBackend" $root | fromYaml) -}}
{{- end -}}
{{- if and $root.Values.egressAllow (has $name (list "gateway" "ingest" "webhook-dispatcher")) -}}
{{- $_ := set $env "EGRESS_ALLOW" (join "," $root.Values.egressAllow) -}}
{{- end -}}
{{- /* toString would write a million as 1e+06. */ -}}
{{- $config := mergeOverwrite (deepCopy $root.Values.config) (get $root.Values.services $name).config -}}
{{- range $key, $value := $config -}}
{{- $_ := set $env $key (kindIs "string" $value | ternary $value (toJson $value)) -}}
{{- end -}}
{{- include "parlance.envList" (dict "root" $root "name" $name "env" $env) -}}
{{- if or $root.Values.grpcToken.existingSecret (not $root.Values.grpcTls.existingSecret) }}
- name: GRPC_TOKEN
  valueFrom:
    secretKeyRef:
      name: {{ $root.Values.grpcToken.existingSecret | default (printf "%s-grpc-token" $full) }}
      key: token
{{- end }}
{{- if $decodes }}
{{ include "parlance.mediaDecoderToken" $root }}
{{- end }}
{{- end -}}

{{/* Settings of live sessions, by the program that reads them; as YAML. An empty one is left to the program. */}}
{{- define "parlance.liveSettings" -}}
{{- $live := .Values.live -}}
gateway:
  LIVE_SESSIONS_PER_ACCOUNT: {{ $live.sessionsPerAccount }}
  LIVE_SESSION_MAX_MINUTES: {{ $live.sessionMaxMinutes }}
  LIVE_IDLE_SECONDS: {{ $live.idleSeconds }}
  LIVE_RESUME_SECONDS: {{ $live.resumeSeconds }}
  LIVE_STALL_SECONDS: {{ $live.stallSeconds }}
ingest: {LIVE_DECODERS: {{ $live.decoders }}}
transcription:
  LIVE_STREAMS: {{ $live.streams }}
  LIVE_ENGINE_URL: {{ $live.engineUrl | quote }}
{{- end -}}

{{/* The secret that ingest shows the media decoder. It opens no other service. */}}
{{- define "parlance.mediaDecoderToken" -}}
- name: MEDIA_DECODER_TOKEN
  valueFrom:
    secretKeyRef:
      name: {{ .Values.mediaDecoder.token.existingSecret | default (printf "%s-media-decoder-token" (include "parlance.fullname" .)) }}
      key: token
{{- end -}}

{{/* Where the servers are, as YAML. */}}
{{- define "parlance.backends" -}}
NODE_ENV: production
PARLANCE_DATA: /data
{{- range $variable, $url := dict "EVENT_BUS_URL" .Values.eventBus.url "DATABASE_URL" .Values.database.url "MEDIA_URL" .Values.media.url }}
{{- if $url }}
{{ $variable }}: {{ $url | quote }}
{{- end }}
{{- end }}
{{- if .Values.trustedCertificates.existingConfigMap }}
NODE_EXTRA_CA_CERTS: /etc/parlance/trusted/{{ .Values.trustedCertificates.key }}
{{- end }}
{{- end -}}

{{/* What search has beside them, and the hook that makes its index; as YAML. */}}
{{- define "parlance.searchBackend" -}}
{{- with .Values.search.url }}
SEARCH_URL: {{ . | quote }}
{{- end }}
{{- with (mergeOverwrite (deepCopy .Values.config) .Values.services.search.config).SEARCH_DIMENSIONS }}
SEARCH_DIMENSIONS: {{ toString . | quote }}
{{- end }}
{{- end -}}

{{/* Not empty when there is one. */}}
{{- define "parlance.hasSearchServer" -}}
{{- if or .Values.search.url (hasKey .Values.secrets.keys "SEARCH_URL") -}}yes{{- end -}}
{{- end -}}

{{/* The list that a container has: plain values, then those from the Secret, each only where it is needed. */}}
{{- define "parlance.envList" -}}
{{- $root := .root -}}
{{- $name := .name -}}
{{- range $key, $value := .env }}
{{- if not (hasKey $root.Values.secrets.keys $key) }}
- name: {{ $key }}
  value: {{ $value | quote }}
{{- end }}
{{- end }}
{{- $only := dict "BOOTSTRAP_API_KEY" (list "gateway") "SMTP_URL" (list "gateway") "SMTP_PASSWORD" (list "gateway") "SPEECH_ENGINE_API_KEY" (list "transcription") "SPEECH_ENGINE_API_KEYS" (list "transcription") "LIVE_ENGINE_API_KEY" (list "transcription") "REDACTION_MODEL_API_KEY" (list "transcription") "SECRETS_KEY" (list "gateway" "ingest" "webhook-dispatcher") "MEDIA_KEY_SECRET" (list "ingest") "LANGUAGE_MODEL_API_KEY" (list "search" "summary") "EMBEDDINGS_ENGINE_API_KEY" (list "search") "EGRESS_PROXY" (list "ingest" "webhook-dispatcher") "SEARCH_URL" (list "search" "search-index") "SEARCH_PASSWORD" (list "search" "search-index") }}
{{- range $key, $secretKey := $root.Values.secrets.keys }}
{{- if has $name (get $only $key | default (list $name)) }}
- name: {{ $key }}
  valueFrom:
    secretKeyRef:
      name: {{ $root.Values.secrets.existingSecret }}
      key: {{ $secretKey }}
{{- end }}
{{- end }}
{{- end -}}
