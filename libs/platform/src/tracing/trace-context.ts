import { randomBytes } from 'node:crypto';

/**
 * A span's place, as it travels in the header `traceparent`.
 * @see W3C Trace Context, section 3.2
 */
export interface SpanContext {
  /** 32 hex digits. */
  readonly traceId: string;
  /** 16 hex digits. */
  readonly spanId: string;
  /** Bit 0: sampled, the trace is recorded. */
  readonly flags: number;
}

const VERSION_00 = /^00-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})$/;
/** A later version may have more fields; its first four are these. */
const LATER_VERSION = /^(?!00|ff)[0-9a-f]{2}-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(?:-.*)?$/;
const NO_TRACE = '0'.repeat(32);
const NO_SPAN = '0'.repeat(16);

/** Caches the last parsed text: resuming a stored trace and all work for it parse the same text. */
let lastParsed: { text: string; context: SpanContext | undefined } | undefined;

/** @returns undefined when the text is no trace context; the caller then begins a new trace */
export function parseTraceparent(text: string | undefined): SpanContext | undefined {
  if (text === undefined || text === 'none') return undefined;
  if (lastParsed?.text !== text) lastParsed = { text, context: parse(text) };
  return lastParsed.context;
}

function parse(text: string): SpanContext | undefined {
  const [, traceId, spanId, flags] = VERSION_00.exec(text) ?? LATER_VERSION.exec(text) ?? [];
  if (!traceId || !spanId || !flags || traceId === NO_TRACE || spanId === NO_SPAN) return undefined;
  return { traceId, spanId, flags: Number.parseInt(flags, 16) };
}

export const formatTraceparent = ({ traceId, spanId, flags }: SpanContext): string =>
  `00-${traceId}-${spanId}-${flags.toString(16).padStart(2, '0')}`;

/** A span below the parent, or the first of a trace, which is not recorded. */
export function childOf(parent: SpanContext | undefined): SpanContext {
  const spanId = randomHex(16);
  return parent ? { ...parent, spanId } : { traceId: randomHex(32), spanId, flags: 0 };
}

const POOLED_BYTES = 4096;
let pool = '';
let used = 0;

/** Random bytes are read from the system for hundreds of ids at once: reading them for each took a twentieth of the time of a created job. */
function randomHex(digits: number): string {
  if (used + digits > pool.length) {
    pool = randomBytes(POOLED_BYTES).toString('hex');
    used = 0;
  }
  used += digits;
  return pool.slice(used - digits, used);
}
