/** Milliseconds in which a client has to take the next piece: less than a kilobyte a second of pieces of 64 kB. */
const STALL_MS = 60_000;

/**
 * Passes pieces on to a client, and disconnects it when it has not taken the next one within a minute: the resources behind them (a
 * scratch file, a cursor, a call) are not held for a client that reads a byte now and then.
 * @param client whose disconnection ends the answer, and so this loop
 */
export async function* atReadersPace<T extends Uint8Array | string>(pieces: AsyncIterable<T>, client: { destroy(): void }): AsyncGenerator<T> {
  for await (const piece of pieces) {
    const timer = setTimeout(() => client.destroy(), STALL_MS);
    try {
      yield piece;
    } finally {
      clearTimeout(timer);
    }
  }
}
