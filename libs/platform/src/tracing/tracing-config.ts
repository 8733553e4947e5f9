import { z } from 'zod';
import { integer } from '../config/config-slice.js';

const SAMPLERS = ['always_on', 'always_off', 'traceidratio', 'parentbased_always_on', 'parentbased_always_off', 'parentbased_traceidratio'] as const;
const url = () => z.url({ protocol: /^https?$/, error: 'must be an http(s) URL' });
const PROTOCOL = 'must be http/protobuf or http/json';

/** The standard names of OpenTelemetry; those for headers, certificates, time-outs and compression (`OTEL_EXPORTER_OTLP_…`) its exporter reads by itself. */
export const tracingConfig = {
  OTEL_EXPORTER_OTLP_ENDPOINT: url().optional().describe('OpenTelemetry collector that receives traces by OTLP over HTTP, such as http://collector:4318; when empty, no traces are sent'),
  OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: url().optional().describe('Full URL for traces, instead of /v1/traces below OTEL_EXPORTER_OTLP_ENDPOINT'),
  OTEL_EXPORTER_OTLP_PROTOCOL: z.enum(['http/protobuf', 'http/json'], { error: PROTOCOL }).default('http/protobuf').describe('Encoding of traces'),
  OTEL_EXPORTER_OTLP_HEADERS: z.string().optional().describe('Headers for the collector, comma-separated name=value pairs, such as its token'),
  OTEL_TRACES_SAMPLER: z.enum(SAMPLERS).default('parentbased_always_on').describe(`Which traces are sampled: ${SAMPLERS.join(', ')}`),
  OTEL_TRACES_SAMPLER_ARG: z.coerce.number().min(0).max(1).default(1).describe('Ratio of traces that the traceidratio samplers keep, 0 to 1'),
  OTEL_SERVICE_NAME: z.string().optional().describe('Name of the service in traces; default parlance-<service>'),
  OTEL_BSP_SCHEDULE_DELAY: integer(1, 600_000).default(5000).describe('Milliseconds between exports of traces'),
  OTEL_SDK_DISABLED: z.enum(['true', 'false']).default('false').describe('true: send no traces, whatever else is set'),
} as const;

export type TracingConfig = { [K in keyof typeof tracingConfig]: (typeof tracingConfig)[K]['_output'] };

/** The URL for traces; undefined when they are not sent. */
export function tracesEndpoint(config: TracingConfig): string | undefined {
  if (config.OTEL_SDK_DISABLED === 'true') return undefined;
  const { OTEL_EXPORTER_OTLP_ENDPOINT: base, OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: whole } = config;
  return whole ?? base?.replace(/(?<!\/)\/*$/, '/v1/traces');
}
