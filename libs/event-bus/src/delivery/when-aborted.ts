const listeners = new WeakMap<AbortSignal, Set<() => void>>();

/** As a listener of the signal's own, for thousands that come and go on one signal: adding one there takes microseconds. @returns ends it */
export function whenAborted(signal: AbortSignal, listener: () => void): () => void {
  const all = listeners.get(signal) ?? listen(signal);
  all.add(listener);
  return () => void all.delete(listener);
}

function listen(signal: AbortSignal): Set<() => void> {
  const all = new Set<() => void>();
  listeners.set(signal, all);
  signal.addEventListener('abort', () => all.forEach((each) => each()), { once: true });
  return all;
}
