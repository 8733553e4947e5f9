import type { SpanContext } from './trace-context.js';

/** Low in number and size; never transcript text, secrets, or addresses with their query. Names by the semantic conventions of OpenTelemetry. */
export type SpanAttributes = Record<string, string | number | boolean | undefined>;

export type SpanKind = 'internal' | 'server' | 'client' | 'producer' | 'consumer';

export interface SpanStart {
  name: string;
  kind: SpanKind;
  /** The service that does the work. */
  service: string;
  /** Undefined: the first of its trace. */
  parent: SpanContext | undefined;
  attributes: SpanAttributes;
}

/** A span that is measured and sent away, when its trace is sampled. */
export interface RecordedSpan {
  readonly context: SpanContext;
  set(attributes: SpanAttributes): void;
  /** @param failure code of the error that it ended with */
  end(failure?: string): void;
}

/** Keeps spans. Without one, spans have ids and nothing else: they link log lines and cost next to nothing. */
export interface SpanRecorder {
  start(span: SpanStart): RecordedSpan;
  /** Sends what is left. */
  close(): Promise<void>;
}

let current: SpanRecorder | undefined;

/** @returns a function that removes the recorder */
export function recordSpansWith(recorder: SpanRecorder): () => void {
  current = recorder;
  return () => {
    if (current === recorder) current = undefined;
  };
}

export const spanRecorder = (): SpanRecorder | undefined => current;
