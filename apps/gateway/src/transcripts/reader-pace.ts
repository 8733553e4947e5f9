/**
 * Passes pieces on to a client, and calls `leave` when the client has not taken the next one within the time limit: the
 * resources behind them (a scratch file, a cursor, a call) are not held for a client that reads a byte now and then.
 * @param leave must end the answer, and so this loop
 */
export async function* atReadersPace<T extends Uint8Array | string>(pieces: AsyncIterable<T>, stallMs: number, leave: () => void): AsyncGenerator<T> {
  for await (const piece of pieces) {
    const timer = setTimeout(leave, stallMs);
    try {
      yield piece;
    } finally {
      clearTimeout(timer);
    }
  }
}
