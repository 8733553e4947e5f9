{{/* What a schema cannot say, or says in regular expressions only. All problems at once, each with what to do. */}}

{{/* Setting → value, what it must look like, an example, and whether it must be there; as YAML. */}}
{{- define "parlance.urls" -}}
EVENT_BUS_URL:
  value: eventBus.url
  url: {{ .Values.eventBus.url | quote }}
  pattern: '^kafka://[^@/?]+/?(\?.*)?$'
  like: 'kafka://host:9092,host2:9092?ssl=true&sasl=scram-sha-512&username=… (its password by secrets.keys.KAFKA_PASSWORD)'
  needed: true
DATABASE_URL:
  value: database.url
  url: {{ .Values.database.url | quote }}
  pattern: '^mongodb(\+srv)?://([^:@/]+@)?[^@/]+/[^?/]+(\?.*)?$'
  like: 'mongodb://user@host:27017/parlance?replicaSet=… (its password by secrets.keys.DATABASE_PASSWORD)'
  needed: true
MEDIA_URL:
  value: media.url
  url: {{ .Values.media.url | quote }}
  pattern: '^s3://[^@/?]+(/[^?]*)?(\?.*)?$'
  like: 's3://bucket/prefix?endpoint=https://host&region=… (its keys by secrets.keys.AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY)'
  needed: true
SEARCH_URL:
  value: search.url
  url: {{ .Values.search.url | quote }}
  pattern: '^opensearch\+https?://([^:@/]+@)?[^@/]+/[a-z0-9][a-z0-9-]*(\?.*)?$'
  like: 'opensearch+https://user@host:9200/prefix (its password by secrets.keys.SEARCH_PASSWORD)'
SPEECH_ENGINE_URL:
  value: speechEngine.url
  url: {{ .Values.speechEngine.url | quote }}
  pattern: '^(pocketsphinx:|sherpa:.+|fixture:.*|openai\+https?://.+)$'
  like: 'openai+https://host/v1?model=…, sherpa:… or pocketsphinx:'
  needed: true
LIVE_ENGINE_URL:
  value: live.engineUrl
  url: {{ .Values.live.engineUrl | quote }}
  pattern: '^(sherpa-online:.+|openai-realtime\+https?://.+)$'
  like: 'openai-realtime+https://host/v1?model=… or sherpa-online:… (its API key by secrets.keys.LIVE_ENGINE_API_KEY)'
SMTP_URL:
  value: signup.smtpUrl
  url: {{ .Values.signup.smtpUrl | quote }}
  pattern: '^smtps?://([^:@/]+@)?[^@/]+/?(\?.*)?$'
  like: 'smtp://user@host:587 or smtps://user@host (its password by secrets.keys.SMTP_PASSWORD)'
  needed: {{ eq .Values.signup.mode "verified" }}
LANGUAGE_MODEL_URL:
  value: languageModel.url
  url: {{ .Values.languageModel.url | quote }}
  pattern: '^(built-in:|openai\+https?://.+)$'
  like: 'openai+https://host/v1?model=… or built-in:'
  needed: true
REDACTION_MODEL_URL:
  value: redactionModel.url
  url: {{ .Values.redactionModel.url | quote }}
  pattern: '^(built-in:|openai\+https?://.+)$'
  like: 'openai+https://host/v1?model=… or built-in: (its API key by secrets.keys.REDACTION_MODEL_API_KEY)'
  needed: true
{{- end -}}

{{- define "parlance.check" -}}
{{- $problems := list -}}
{{- $keys := .Values.secrets.keys -}}
{{- range $variable, $of := include "parlance.urls" . | fromYaml -}}
{{- if hasKey $keys $variable -}}
{{- else if and $of.needed (not $of.url) -}}
{{- $problems = append $problems (printf "%s is needed, like %s; or secrets.keys.%s. The chart brings no servers: its README names operators for them" $of.value $of.like $variable) -}}
{{- else if and $of.url (not (regexMatch $of.pattern $of.url)) -}}
{{- $problems = append $problems (printf "%s must be like %s" $of.value $of.like) -}}
{{- end -}}
{{- end -}}
{{- $speech := (include "parlance.urls" . | fromYaml).SPEECH_ENGINE_URL -}}
{{- range $model, $url := .Values.speechEngine.engines -}}
{{- if or (eq $model "default") (not (regexMatch $speech.pattern $url)) -}}
{{- $problems = append $problems (printf "speechEngine.engines.%s must be like %s, and no engine may have the name default, which is that of speechEngine.url" $model $speech.like) -}}
{{- end -}}
{{- end -}}
{{- if and $keys (not .Values.secrets.existingSecret) -}}
{{- $problems = append $problems (printf "secrets.existingSecret is needed: the Secret with %s, which secrets.keys names" (values $keys | sortAlpha | join ", ")) -}}
{{- end -}}
{{- if and (contains "sasl=" .Values.eventBus.url) (not (hasKey $keys "KAFKA_PASSWORD")) -}}
{{- $problems = append $problems "eventBus.url has sasl=…, so secrets.keys.KAFKA_PASSWORD must name the key with the password" -}}
{{- end -}}
{{- if and (eq .Values.signup.mode "verified") (not .Values.signup.smtpFrom) -}}
{{- $problems = append $problems "signup.smtpFrom is needed, as signup.mode is verified" -}}
{{- end -}}
{{- if .Values.mediaDecoder.enabled -}}
{{- $own := .Values.mediaDecoder.grpcTls.existingSecret -}}
{{- $shared := .Values.grpcTls.existingSecret -}}
{{- if ne (empty $own) (empty $shared) -}}
{{- $problems = append $problems "mediaDecoder.grpcTls.existingSecret and grpcTls.existingSecret are needed together: ingest calls the decoder as it calls the services" -}}
{{- else if and $own (eq $own $shared) -}}
{{- $problems = append $problems "mediaDecoder.grpcTls.existingSecret must be a certificate of its own, for server auth alone: with that of grpcTls the decoder could call the services" -}}
{{- end -}}
{{- if and .Values.mediaDecoder.token.existingSecret (eq .Values.mediaDecoder.token.existingSecret .Values.grpcToken.existingSecret) -}}
{{- $problems = append $problems "mediaDecoder.token.existingSecret must differ from grpcToken.existingSecret: with that token the decoder could call the services" -}}
{{- end -}}
{{- if gt (int .Values.mediaDecoder.autoscaling.minReplicas) (int .Values.mediaDecoder.autoscaling.maxReplicas) -}}
{{- $problems = append $problems "mediaDecoder.autoscaling.minReplicas is more than maxReplicas" -}}
{{- end -}}
{{- end -}}
{{- if and .Values.ingress.enabled (not .Values.ingress.host) -}}
{{- $problems = append $problems "ingress.host is needed, as ingress.enabled is true" -}}
{{- end -}}
{{- if and .Values.httpRoute.enabled (not .Values.httpRoute.parentRefs) -}}
{{- $problems = append $problems "httpRoute.parentRefs must name a Gateway, as httpRoute.enabled is true" -}}
{{- end -}}
{{- if .Values.networkPolicy.enabled -}}
{{- range $name, $backend := include "parlance.usedBackends" . | fromYaml -}}
{{- if not $backend.to -}}
{{- $problems = append $problems (printf "networkPolicy.%s.to is needed: who is there, by namespaceSelector, podSelector or ipBlock, or {public: true} for public addresses. Ports %s would be open to everywhere" $name (join ", " $backend.ports)) -}}
{{- end -}}
{{- end -}}
{{- end -}}
{{- if and .Values.encryption.masterKeys.existingSecret .Values.encryption.keyProvider -}}
{{- $problems = append $problems "encryption.masterKeys.existingSecret and encryption.keyProvider exclude each other: the master key is in one place" -}}
{{- end -}}
{{- if and .Values.encryption.media (not (or .Values.encryption.masterKeys.existingSecret .Values.encryption.keyProvider)) -}}
{{- $problems = append $problems "encryption.media needs encryption.masterKeys.existingSecret or encryption.keyProvider" -}}
{{- end -}}
{{- range $name, $service := .Values.services -}}
{{- $scaling := $service.autoscaling -}}
{{- if gt (int $scaling.minReplicas) (int $scaling.maxReplicas) -}}
{{- $problems = append $problems (printf "services.%s.autoscaling.minReplicas is more than maxReplicas" $name) -}}
{{- end -}}
{{- if and (eq $scaling.by "keda") (not $.Values.eventBus.url) -}}
{{- $problems = append $problems (printf "services.%s.autoscaling.by keda needs the brokers in eventBus.url, not in the Secret" $name) -}}
{{- end -}}
{{- end -}}
{{- range $name := list "BOOTSTRAP_API_KEY" "KAFKA_PASSWORD" "DATABASE_PASSWORD" "AWS_SECRET_ACCESS_KEY" "SMTP_PASSWORD" "SEARCH_PASSWORD" "SPEECH_ENGINE_API_KEY" "SPEECH_ENGINE_API_KEYS" "LIVE_ENGINE_API_KEY" "REDACTION_MODEL_API_KEY" "SECRETS_KEY" "MEDIA_KEY_SECRET" "LANGUAGE_MODEL_API_KEY" "EMBEDDINGS_ENGINE_API_KEY" "VAULT_TOKEN" -}}
{{- $given := list $.Values.config -}}
{{- range $.Values.services -}}{{- $given = append $given .config -}}{{- end -}}
{{- range $given -}}
{{- if hasKey . $name -}}
{{- $problems = append $problems (printf "%s is secret: name its key in secrets.keys.%s instead of giving its value in config" $name $name) -}}
{{- end -}}
{{- end -}}
{{- end -}}
{{- if $problems -}}
{{- fail (printf "\n\nThe values do not fit together:\n  - %s\n" (join "\n  - " $problems)) -}}
{{- end -}}
{{- end -}}
