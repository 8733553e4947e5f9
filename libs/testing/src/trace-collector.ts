import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A span as it was sent. */
export interface CollectedSpan {
  /** `service.name` of its resource. */
  service: string;
  name: string;
  traceId: string;
  spanId: string;
  parentSpanId: string | undefined;
  /** 1 internal, 2 server, 3 client, 4 producer, 5 consumer. */
  kind: number;
  attributes: Record<string, unknown>;
  failed: boolean;
}

interface Attribute {
  key: string;
  value: { stringValue?: string; intValue?: number | string; doubleValue?: number; boolValue?: boolean };
}

/** OTLP 1.x, ExportTraceServiceRequest in JSON, as far as the tests look. */
interface ExportRequest {
  resourceSpans: {
    resource: { attributes: Attribute[] };
    scopeSpans: { spans: (Pick<CollectedSpan, 'name' | 'traceId' | 'spanId' | 'kind'> & { parentSpanId?: string; attributes: Attribute[]; status: { code?: number } })[] }[];
  }[];
}

const FAILED = 2;

/** A real receiver of OTLP over HTTP on loopback, which keeps what it gets. */
export class TraceCollector implements AsyncDisposable {
  readonly spans: CollectedSpan[] = [];

  private constructor(
    readonly url: string,
    private readonly shut: () => Promise<void>,
  ) {}

  static async start(): Promise<TraceCollector> {
    const server = createServer((request, response) => {
      let body = '';
      request.setEncoding('utf8');
      request.on('data', (text: string) => (body += text));
      request.on('end', () => {
        collector.spans.push(...spansOf(JSON.parse(body) as ExportRequest));
        response.writeHead(200, { 'content-type': 'application/json' }).end('{}');
      });
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as AddressInfo;
    const collector = new TraceCollector(`http://127.0.0.1:${port}`, async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    });
    return collector;
  }

  /** What makes a process send its spans here, soon. */
  get settings(): Record<string, string> {
    return { OTEL_EXPORTER_OTLP_ENDPOINT: this.url, OTEL_EXPORTER_OTLP_PROTOCOL: 'http/json', OTEL_BSP_SCHEDULE_DELAY: '50' };
  }

  of(traceId: string): CollectedSpan[] {
    return this.spans.filter((span) => span.traceId === traceId);
  }

  /** The spans above it in its trace and itself, from the first on. */
  pathTo(span: CollectedSpan): CollectedSpan[] {
    const parent = this.of(span.traceId).find(({ spanId }) => spanId === span.parentSpanId);
    return parent ? [...this.pathTo(parent), span] : [span];
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.shut();
  }
}

const spansOf = ({ resourceSpans }: ExportRequest): CollectedSpan[] =>
  resourceSpans.flatMap(({ resource, scopeSpans }) => {
    const service = String(valuesOf(resource.attributes)['service.name']);
    return scopeSpans.flatMap(({ spans }) =>
      spans.map(({ name, traceId, spanId, parentSpanId, kind, attributes, status }) => ({
        service,
        name,
        traceId,
        spanId,
        parentSpanId: parentSpanId || undefined,
        kind,
        attributes: valuesOf(attributes),
        failed: status.code === FAILED,
      })),
    );
  });

const valuesOf = (attributes: readonly Attribute[]): Record<string, unknown> =>
  Object.fromEntries(attributes.map(({ key, value }) => [key, Object.values(value)[0]]));
