{{/* Pieces of the NetworkPolicies. */}}

{{/* An egress rule of (dict "to" peers "ports" ports). The peer {public: true} is every address but private and cloud-internal ones. */}}
{{- define "parlance.egressRule" -}}
- ports:
    {{- range .ports }}
    - {port: {{ . }}, protocol: TCP}
    {{- end }}
  to:
    {{- range .to }}
    {{- if .public }}
    {{- include "parlance.publicPeers" . | nindent 4 }}
    {{- else }}
    - {{ toYaml . | nindent 6 | trim }}
    {{- end }}
    {{- end }}
{{- end -}}

{{/* As libs/egress judges, where blocks can say it: IANA special-purpose registries, and what answers inside a cloud only. */}}
{{- define "parlance.publicPeers" -}}
- ipBlock:
    cidr: 0.0.0.0/0
    except:
      - 0.0.0.0/8
      - 10.0.0.0/8
      - 100.64.0.0/10
      - 127.0.0.0/8
      - 161.26.0.0/16
      - 166.8.0.0/14
      - 168.63.129.16/32
      - 169.254.0.0/16
      - 172.16.0.0/12
      - 192.0.0.0/24
      - 192.168.0.0/16
      - 198.18.0.0/15
      - 224.0.0.0/4
      - 240.0.0.0/4
- ipBlock:
    cidr: ::/0
    except:
      - "::1/128"
      - "64:ff9b::/96"
      - "64:ff9b:1::/48"
      - "2001::/32"
      - "2002::/16"
      - "fc00::/7"
      - "fe80::/10"
      - "ff00::/8"
{{- end -}}

{{/* Annotations of the Ingress, as YAML: for nginx, streams in both directions, also silent ones. */}}
{{- define "parlance.ingressAnnotations" -}}
{{- $ingress := .Values.ingress -}}
{{- $annotations := dict -}}
{{- if or (eq (toString $ingress.nginx) "true") (and (eq (toString $ingress.nginx) "auto") (contains "nginx" $ingress.className)) -}}
{{- $seconds := toString (int64 $ingress.streamTimeoutSeconds) -}}
{{- range $name, $value := dict "proxy-body-size" "0" "proxy-request-buffering" "off" "proxy-buffering" "off" "proxy-http-version" "1.1" "proxy-read-timeout" $seconds "proxy-send-timeout" $seconds -}}
{{- $_ := set $annotations (printf "nginx.ingress.kubernetes.io/%s" $name) $value -}}
{{- end -}}
{{- end -}}
{{- toYaml (mergeOverwrite $annotations (deepCopy $ingress.annotations)) -}}
{{- end -}}

{{/* Entries of networkPolicy that are in use, as YAML: name → entry. */}}
{{- define "parlance.usedBackends" -}}
{{- $policy := .Values.networkPolicy -}}
{{- $used := dict -}}
{{- range $name, $backend := $policy.backends -}}
{{- if or (ne $name "opensearch") (include "parlance.hasSearchServer" $) -}}{{- $_ := set $used (printf "backends.%s" $name) $backend -}}{{- end -}}
{{- end -}}
{{- if include "parlance.traces" . -}}{{- $_ := set $used "collector" $policy.collector -}}{{- end -}}
{{- if .Values.encryption.keyProvider -}}{{- $_ := set $used "keyService" $policy.keyService -}}{{- end -}}
{{- if eq .Values.signup.mode "verified" -}}{{- $_ := set $used "smtp" $policy.smtp -}}{{- end -}}
{{- range append (append (values .Values.speechEngine.engines) .Values.speechEngine.url) .Values.live.engineUrl -}}
{{- if hasPrefix "openai" . -}}{{- $_ := set $used "speechEngine" $policy.speechEngine -}}{{- end -}}
{{- end -}}
{{- if or (hasPrefix "openai+" .Values.languageModel.url) (include "parlance.embedsByServer" .) -}}{{- $_ := set $used "languageModel" $policy.languageModel -}}{{- end -}}
{{- /* Where config names the server, another entry of backends may already lead to it. */ -}}
{{- if and (include "parlance.redactsByServer" .) (or (hasPrefix "openai+" .Values.redactionModel.url) $policy.redactionModel.to) -}}{{- $_ := set $used "redactionModel" $policy.redactionModel -}}{{- end -}}
{{- toYaml $used -}}
{{- end -}}

{{/* Not empty when search has its embeddings from a server. */}}
{{- define "parlance.embedsByServer" -}}
{{- $config := mergeOverwrite (deepCopy .Values.config) .Values.services.search.config -}}
{{- if hasPrefix "openai+" (toString (get $config "EMBEDDINGS_ENGINE_URL")) -}}yes{{- end -}}
{{- end -}}

{{/* Not empty when a server finds names to redact. */}}
{{- define "parlance.redactsByServer" -}}
{{- $config := mergeOverwrite (deepCopy .Values.config) .Values.services.transcription.config -}}
{{- if hasPrefix "openai+" (toString (get $config "REDACTION_MODEL_URL" | default .Values.redactionModel.url)) -}}yes{{- end -}}
{{- end -}}
