import { AsyncLocalStorage } from 'node:async_hooks';
import { toAppError } from '../errors/app-error.js';
import { spanRecorder, type RecordedSpan, type SpanAttributes, type SpanKind } from './span-recorder.js';
import { childOf, formatTraceparent, parseTraceparent, type SpanContext } from './trace-context.js';

/** The service and span that the running code belongs to. */
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
  /** The service that does the work. Default: the service whose code runs. */
  service?: string;
  /** A `traceparent` of another time or place; 'none' begins a trace. Default: the span that the code runs in. */
  parent?: string | 'none';
}

/** A piece of work in its trace. */
export interface Span {
  readonly traceparent: string;
  set(attributes: SpanAttributes): void;
  /** Runs the work within the span; its log lines belong to the span as well. */
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

  /** Formatted on demand: most spans have no call to send it with. */
  get traceparent(): string {
    return formatTraceparent(this.span);
  }

  set(attributes: SpanAttributes): void {
    this.recorded?.set(attributes);
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

/** Runs work in the trace that was stored or sent; without a valid `traceparent`, in none. */
export const inTrace = <T>(traceparent: string | undefined, work: () => T): T =>
  scopes.run({ service: scope().service, span: parseTraceparent(traceparent) }, work);

/** The current trace as a `traceparent`, to be stored or sent. */
export function currentTraceparent(): string | undefined {
  const { span } = scope();
  return span && formatTraceparent(span);
}

/**
 * The trace for something that was begun in another: the span that runs now when it is part of that trace, and else what was
 * stored, as work for one job may be what sets off another's.
 */
export function continueTrace(stored: string | undefined): string | undefined {
  const { span } = scope();
  const begun = parseTraceparent(stored);
  return span && (!begun || begun.traceId === span.traceId) ? formatTraceparent(span) : stored;
}

/** For log lines. */
export function traceFields(): { trace_id?: string; span_id?: string } {
  const { span } = scope();
  return span ? { trace_id: span.traceId, span_id: span.spanId } : {};
}

/** The failure of a span; undefined for work that was canceled on purpose. */
function failureOf(error: unknown): string | undefined {
  if (error === undefined || typeof error === 'string') return error;
  const { kind, code } = toAppError(error);
  return kind === 'canceled' ? undefined : code;
}
