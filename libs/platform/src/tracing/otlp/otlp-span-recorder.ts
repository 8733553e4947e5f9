import { diag, DiagLogLevel, ROOT_CONTEXT, type Span as OtelSpan, SpanKind as OtelKind, SpanStatusCode, trace } from '@opentelemetry/api';
import { defaultResource, detectResources, envDetector, type Resource, resourceFromAttributes } from '@opentelemetry/resources';
import { AlwaysOffSampler, AlwaysOnSampler, BatchSpanProcessor, ParentBasedSampler, type Sampler, type SpanExporter, type SpanProcessor, TraceIdRatioBasedSampler, TracerProvider } from '@opentelemetry/sdk-trace';
import type { Logger } from '../../logging/logger.js';
import type { RecordedSpan, SpanKind, SpanRecorder, SpanStart } from '../span-recorder.js';
import type { SpanContext } from '../trace-context.js';
import type { TracingConfig } from '../tracing-config.js';

const KINDS: Record<SpanKind, OtelKind> = {
  internal: OtelKind.INTERNAL,
  server: OtelKind.SERVER,
  client: OtelKind.CLIENT,
  producer: OtelKind.PRODUCER,
  consumer: OtelKind.CONSUMER,
};

/** Sends spans to an OpenTelemetry collector, in batches. Each service of the process is a service of its own there, as in a cluster. */
export class OtlpSpanRecorder implements SpanRecorder {
  private readonly providers = new Map<string, TracerProvider>();

  private constructor(
    private readonly processor: SpanProcessor,
    private readonly sampler: Sampler,
    private readonly resource: Resource,
    private readonly serviceName: string | undefined,
  ) {}

  /** @param endpoint URL of the collector's traces */
  static async open(endpoint: string, config: TracingConfig, log: Logger): Promise<OtlpSpanRecorder> {
    tellOfTroubles(log);
    const exporter = await exporterFor(endpoint, config);
    const processor = new BatchSpanProcessor({ exporter, scheduledDelayMillis: config.OTEL_BSP_SCHEDULE_DELAY });
    const resource = defaultResource().merge(detectResources({ detectors: [envDetector] }));
    return new OtlpSpanRecorder(processor, samplerOf(config), resource, config.OTEL_SERVICE_NAME);
  }

  start({ name, kind, service, parent, attributes }: SpanStart): RecordedSpan {
    const above = parent ? trace.setSpanContext(ROOT_CONTEXT, remote(parent)) : ROOT_CONTEXT;
    return recorded(this.providerOf(service).getTracer('parlance').startSpan(name, { kind: KINDS[kind], attributes }, above));
  }

  async close(): Promise<void> {
    await this.processor.shutdown();
    diag.disable();
  }

  private providerOf(service: string): TracerProvider {
    let provider = this.providers.get(service);
    if (!provider) {
      const named = resourceFromAttributes({ 'service.name': this.serviceName ?? nameOf(service), 'service.namespace': 'parlance' });
      provider = new TracerProvider({ resource: this.resource.merge(named), sampler: this.sampler, spanProcessors: [this.processor] });
      this.providers.set(service, provider);
    }
    return provider;
  }
}

const nameOf = (service: string): string => (service === 'parlance' ? service : `parlance-${service}`);

const remote = ({ traceId, spanId, flags }: SpanContext) => ({ traceId, spanId, traceFlags: flags, isRemote: true });

function recorded(span: OtelSpan): RecordedSpan {
  const { traceId, spanId, traceFlags } = span.spanContext();
  return {
    context: { traceId, spanId, flags: traceFlags },
    set: (attributes) => void span.setAttributes(attributes),
    end: (failure) => {
      if (failure !== undefined) span.setStatus({ code: SpanStatusCode.ERROR }).setAttribute('error.type', failure);
      span.end();
    },
  };
}

async function exporterFor(url: string, { OTEL_EXPORTER_OTLP_PROTOCOL: protocol, OTEL_EXPORTER_OTLP_HEADERS: headers }: TracingConfig): Promise<SpanExporter> {
  const { OTLPTraceExporter } =
    protocol === 'http/json' ? await import('@opentelemetry/exporter-trace-otlp-http') : await import('@opentelemetry/exporter-trace-otlp-proto');
  return new OTLPTraceExporter({ url, headers: headersOf(headers) });
}

/** `name=value,…`, values percent-encoded. @see OpenTelemetry protocol exporter, specifying headers via environment variables */
function headersOf(text = ''): Record<string, string> {
  const pairs = text.split(',').filter((pair) => pair.includes('='));
  return Object.fromEntries(pairs.map((pair) => [pair.slice(0, pair.indexOf('=')).trim(), decodeURIComponent(pair.slice(pair.indexOf('=') + 1).trim())]));
}

/** An unavailable collector does not stop the process; it is logged for the operator. */
function tellOfTroubles(log: Logger): void {
  const tell = (level: 'warn' | 'error') => (message: string) => log[level]({ otel: message.slice(0, 500) }, 'sending traces failed');
  const silent = () => {};
  diag.setLogger({ error: tell('error'), warn: tell('warn'), info: silent, debug: silent, verbose: silent }, { logLevel: DiagLogLevel.WARN, suppressOverrideMessage: true });
}

/** @see OpenTelemetry specification, general SDK configuration: OTEL_TRACES_SAMPLER */
function samplerOf({ OTEL_TRACES_SAMPLER: name, OTEL_TRACES_SAMPLER_ARG: ratio }: TracingConfig): Sampler {
  const root = rootSampler(name.replace('parentbased_', ''), ratio);
  return name.startsWith('parentbased_') ? new ParentBasedSampler({ root }) : root;
}

function rootSampler(name: string, ratio: number): Sampler {
  if (name === 'always_off') return new AlwaysOffSampler();
  return name === 'traceidratio' ? new TraceIdRatioBasedSampler(ratio) : new AlwaysOnSampler();
}
