export const neverAborted = new AbortController().signal;

/** How a call can have ended before it begins, with the code of its error. */
export const ENDED_SIGNALS: readonly [what: string, signal: () => AbortSignal, code: string][] = [
  ['canceled', () => AbortSignal.abort(), 'canceled'],
  ['past its deadline', () => AbortSignal.abort(new DOMException('The deadline passed.', 'TimeoutError')), 'engine_timeout'],
];
