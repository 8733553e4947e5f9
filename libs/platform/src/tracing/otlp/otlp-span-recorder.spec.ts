import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { readConfig } from '../../config/config-slice.js';
import { AppError } from '../../errors/app-error.js';
import { silentLogger } from '../../logging/logger.js';
import { inService, inSpan, inTrace } from '../span.js';
import { startTracing } from '../start-tracing.js';
import { tracesEndpoint, tracingConfig } from '../tracing-config.js';

const SAMPLED = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01';
const UNSAMPLED = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-00';

interface Received {
  path: string | undefined;
  headers: IncomingHttpHeaders;
  body: Buffer;
}

const settings = (env: Record<string, string>) => readConfig(tracingConfig, { env, readFile: () => '' });

describe('traces to a collector', () => {
  let received: Received[];
  let collector: string;
  let stop: () => Promise<unknown>;

  beforeEach(async () => {
    received = [];
    const server = createServer((request, response) => {
      const parts: Buffer[] = [];
      request.on('data', (part: Buffer) => parts.push(part));
      request.on('end', () => {
        received.push({ path: request.url, headers: request.headers, body: Buffer.concat(parts) });
        response.writeHead(200, { 'content-type': 'application/json' }).end('{}');
      });
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    collector = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    stop = async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    };
  });
  afterEach(() => stop());

  const tracing = (env: Record<string, string> = {}) =>
    startTracing(settings({ OTEL_EXPORTER_OTLP_ENDPOINT: `${collector}/`, OTEL_EXPORTER_OTLP_PROTOCOL: 'http/json', ...env }), silentLogger());
  const json = (): { resourceSpans: { resource: { attributes: unknown[] }; scopeSpans: { spans: Record<string, unknown>[] }[] }[] } =>
    JSON.parse(received[0]?.body.toString() ?? '{"resourceSpans":[]}') as ReturnType<typeof json>;

  it('have the span with its service, parent, attributes and error', async () => {
    const close = await tracing({ OTEL_EXPORTER_OTLP_HEADERS: 'x-token=a%20b' });
    const failing = inService('ingest', () =>
      inTrace(SAMPLED, () =>
        inSpan('fetch media', { kind: 'client', attributes: { 'parlance.job_id': 'job_1' } }, async () => {
          throw new AppError({ kind: 'unavailable', code: 'media_unreachable', message: 'https://user:secret@example.org/?key=secret' });
        }),
      ),
    );
    await expect(failing).rejects.toThrow();
    await close();
    expect(received).toMatchObject([{ path: '/v1/traces', headers: { 'x-token': 'a b' } }]);
    const [{ resource, scopeSpans }] = json().resourceSpans as [ReturnType<typeof json>['resourceSpans'][0]];
    expect(resource.attributes).toContainEqual({ key: 'service.name', value: { stringValue: 'parlance-ingest' } });
    expect(scopeSpans[0]?.spans).toMatchObject([
      {
        name: 'fetch media',
        kind: 3,
        traceId: '0af7651916cd43dd8448eb211c80319c',
        parentSpanId: 'b7ad6b7169203331',
        status: { code: 2 },
        attributes: [
          { key: 'parlance.job_id', value: { stringValue: 'job_1' } },
          { key: 'error.type', value: { stringValue: 'media_unreachable' } },
        ],
      },
    ]);
    expect(received[0]?.body.toString()).not.toContain('secret');
  });

  it('are Protocol Buffers by default', async () => {
    const close = await tracing({ OTEL_EXPORTER_OTLP_PROTOCOL: '' });
    await inSpan('one piece of work', {}, async () => {});
    await close();
    expect(received[0]?.headers['content-type']).toBe('application/x-protobuf');
    expect(received[0]?.body.includes('one piece of work')).toBe(true);
  });

  it.each([
    ['by default nothing of what the caller does not keep', {}, UNSAMPLED, 0],
    ['what the caller keeps', {}, SAMPLED, 1],
    ['all, though the caller keeps none', { OTEL_TRACES_SAMPLER: 'always_on' }, UNSAMPLED, 1],
    ['no part', { OTEL_TRACES_SAMPLER: 'parentbased_traceidratio', OTEL_TRACES_SAMPLER_ARG: '0' }, undefined, 0],
    ['none', { OTEL_TRACES_SAMPLER: 'always_off' }, SAMPLED, 0],
    ['nothing when switched off', { OTEL_SDK_DISABLED: 'true' }, SAMPLED, 0],
  ])('keep %s', async (_, env, parent, requests) => {
    const close = await tracing(env);
    await inTrace(parent, () => inSpan('work', {}, async () => {}));
    await close();
    expect(received).toHaveLength(requests);
  });
});

describe('the settings', () => {
  it('name the place of traces by base or whole', () => {
    expect(tracesEndpoint(settings({}))).toBeUndefined();
    expect(tracesEndpoint(settings({ OTEL_EXPORTER_OTLP_ENDPOINT: 'http://collector:4318' }))).toBe('http://collector:4318/v1/traces');
    expect(tracesEndpoint(settings({ OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: 'http://tempo/otlp' }))).toBe('http://tempo/otlp');
  });

  it.each([
    ['OTEL_EXPORTER_OTLP_ENDPOINT', 'collector:4318'],
    ['OTEL_EXPORTER_OTLP_PROTOCOL', 'grpc'],
    ['OTEL_TRACES_SAMPLER', 'some'],
    ['OTEL_TRACES_SAMPLER_ARG', '2'],
  ])('refuse %s=%s', (name, value) => {
    expect(() => settings({ [name]: value })).toThrow(name);
  });
});
