import { describe, expect, it } from '@jest/globals';
import { pause } from './pause.js';

const LONG = 60_000;

describe('a pause', () => {
  it('ends after its time', async () => {
    expect(await pause(1)).toBeUndefined();
  });

  it('ends without an error when its signal aborts, before or during it', async () => {
    const closing = new AbortController();
    const during = pause(LONG, closing.signal);
    closing.abort(new Error('closing'));
    expect(await during).toBeUndefined();
    expect(await pause(LONG, closing.signal)).toBeUndefined();
  });
});
