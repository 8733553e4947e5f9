import { expect, it, jest } from '@jest/globals';
import { LiveSession } from '../src/index.js';

/** A connection whose close the server does not answer. */
class SilentSocket extends EventTarget {
  readyState = 0;
  bufferedAmount = 0;
  close(): void {}
  send(): void {}
}

it('a session that is closed leaves no timer, though the server does not answer the close', async () => {
  jest.useFakeTimers();
  try {
    const session = new LiveSession({ url: 'ws://a.example', newToken: async () => 'tok_1', WebSocket: SilentSocket as unknown as typeof WebSocket });
    await jest.advanceTimersByTimeAsync(1);
    expect(jest.getTimerCount()).toBe(2);
    session.close();
    expect(jest.getTimerCount()).toBe(0);
    await expect(session.finished).rejects.toMatchObject({ code: 'closed' });
  } finally {
    jest.useRealTimers();
  }
});
