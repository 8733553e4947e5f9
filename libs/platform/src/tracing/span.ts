import { AsyncLocalStorage } from 'node:async_hooks';
import { toAppError } from '../errors/app-error.js';
import { spanRecorder, type RecordedSpan, type SpanAttributes, type SpanKind } from './span-recorder.js';
import { childOf, formatTraceparent, parseTraceparent, type SpanContext } from './trace-context.js';

/** What the code that runs belongs to. */
interface Scope {
  service: string;
  span?: SpanContext | undefined;
}

const scopes = new AsyncLocalStorage<Scope>();
const NOBODY: Scope = { service: 'parlance' };
const scope = (): Scope => scopes.getStore() ?? NOBODY;

export interface SpanOptions {
  kind?: SpanKind;
  /** Asked for only when the span is recorded. */
  attributes?: SpanAttributes | (() => SpanAttributes);
  /** Whose work it is. Default: his whose code runs. */
  service?: string;
  /** A `traceparent` of another time or place; 'none' begins a trace. Default: the span that the code runs in. */
  parent?: string | 'none';
}

/** A piece of work in its trace. */
export interface Span {
  readonly traceparent: string;
  set(attributes: SpanAttributes): void;
  rename(name: string): void;
  /** What the work does, its log lines included, belongs to the span. */
  run<T>(work: () => T): T;
  /** @param error what the work failed with, or its code */
  end(error?: unknown): void;
}

/** For work whose end is no promise; must be ended. */
export function startSpan(name: string, { kind = 'internal', attributes = {}, service: whose, parent }: SpanOptions = {}): Span {
  const { service: whoRuns, span } = scope();
  const service = whose ?? whoRuns;
  const above = parent === undefined ? span : parseTraceparent(parent);
  const recorder = spanRecorder();
  const recorded = recorder?.start({ name, kind, service, parent: above, attributes: typeof attributes === 'function' ? attributes() : attributes });
  return new StartedSpan(service, recorded?.context ?? childOf(above), recorded);
}

/** The scope of its work as well. */
class StartedSpan implements Span, Scope {
  constructor(
    readonly service: string,
    readonly span: SpanContext,
    private readonly recorded: RecordedSpan | undefined,
  ) {}

  /** Written when it is asked for: most spans have no call to send it with. */
  get traceparent(): string {
    return formatTraceparent(this.span);
  }

  set(attributes: SpanAttributes): void {
    this.recorded?.set(attributes);
  }

  rename(name: string): void {
    this.recorded?.rename(name);
  }

  run<T>(work: () => T): T {
    return scopes.run(this, work);
  }

  end(error?: unknown): void {
    this.recorded?.end(failureOf(error));
  }
}

/** Does the work in a span of its own, which ends with it. */
export async function inSpan<T>(name: string, options: SpanOptions, work: (span: Span) => Promise<T>): Promise<T> {
  const span = startSpan(name, options);
  try {
    const result = await span.run(() => work(span));
    span.end();
    return result;
  } catch (error) {
    span.end(error);
    throw error;
  }
}

/** Whatever is started within is the service's, and of no trace. */
export const inService = <T>(service: string, work: () => T): T => scopes.run({ service }, work);

/** Work within goes on with the trace that was stored or sent; of what is no `traceparent`, with none. */
export const inTrace = <T>(traceparent: string | undefined, work: () => T): T =>
  scopes.run({ service: scope().service, span: parseTraceparent(traceparent) }, work);

/** To be stored or sent, so that others go on with the trace. */
export function currentTraceparent(): string | undefined {
  const { span } = scope();
  return span && formatTraceparent(span);
}

/**
 * The trace for something that was begun in another: the span that runs now when it is part of that trace, and else what was
 * stored, as work for one job may be what sets off another's.
 */
export function goOnWith(stored: string | undefined): string | undefined {
  const { span } = scope();
  const begun = parseTraceparent(stored);
  return span && (!begun || begun.traceId === span.traceId) ? formatTraceparent(span) : stored;
}

/** For log lines. */
export function traceFields(): { trace_id?: string; span_id?: string } {
  const { span } = scope();
  return span ? { trace_id: span.traceId, span_id: span.spanId } : {};
}

/** Of what was stopped on purpose, none. */
function failureOf(error: unknown): string | undefined {
  if (error === undefined || typeof error === 'string') return error;
  const { kind, code } = toAppError(error);
  return kind === 'canceled' ? undefined : code;
}
