import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { AudioWindow } from './audio-window.js';
import { SessionBytes } from './session-bytes.js';

const ALL = Buffer.from(Array.from({ length: 60_000 }, (_, index) => (index * 7) % 251));

/** What was stored is the beginning of ALL. */
function setUp(acknowledged: number) {
  const window = new AudioWindow(acknowledged);
  const stored = {
    async *read(_session: unknown, from: number) {
      for (let at = from; at < acknowledged; at += 777) yield ALL.subarray(at, Math.min(acknowledged, at + 777));
    },
  };
  const bytes = new SessionBytes({ stored, window, session: () => ({}) as never, onRead: () => {} });
  return { window, bytes };
}

async function readAll(bytes: SessionBytes, from: number) {
  const parts: Buffer[] = [];
  const marks: number[] = [];
  for await (const item of bytes.from(from, new AbortController().signal)) {
    if (item === 'finalize') marks.push(bytes.position);
    else parts.push(Buffer.from(item));
  }
  return { audio: Buffer.concat(parts), marks };
}

describe('the bytes of a session', () => {
  it('come from the store, and then as they arrive, with the ends of utterances at their places', async () => {
    const cuts = fc.uniqueArray(fc.integer({ min: 1, max: ALL.byteLength - 1 }), { maxLength: 12 });
    await fc.assert(
      fc.asyncProperty(fc.nat(20_000), fc.nat(20_000), cuts, async (acknowledged, back, ends) => {
        const { window, bytes } = setUp(acknowledged);
        const from = Math.max(0, acknowledged - back);
        const reading = readAll(bytes, from);
        const places = ends.filter((end) => end > acknowledged).toSorted((a, b) => a - b);
        for (const place of places) {
          window.append(ALL.subarray(window.end, place));
          bytes.finalize();
          if (place % 2 === 0) await new Promise(setImmediate);
        }
        window.append(ALL.subarray(window.end));
        window.close();
        const { audio, marks } = await reading;
        expect(audio.equals(ALL.subarray(from))).toBe(true);
        expect(marks).toEqual(places);
        // A recognition that begins anew reads the same.
        const again = await readAll(bytes, window.start);
        expect([again.audio.equals(ALL.subarray(window.start)), again.marks]).toEqual([true, places]);
      }),
      { numRuns: 50 },
    );
  });

  it('come from the store again when the window has released them before they were read', async () => {
    const window = new AudioWindow(0);
    const stored = {
      async *read(_session: unknown, from: number) {
        yield ALL.subarray(from, window.start);
      },
    };
    const bytes = new SessionBytes({ stored, window, session: () => ({}) as never, onRead: () => {} });
    const read: Buffer[] = [];
    const reader = bytes.from(0, new AbortController().signal);
    for (let at = 0; at < ALL.byteLength; at += 10_000) {
      window.append(ALL.subarray(at, at + 10_000));
      read.push(Buffer.from((await reader.next()).value as Buffer));
      window.release(at + 7000);
    }
    window.close();
    for await (const part of reader) read.push(Buffer.from(part as Buffer));
    expect(Buffer.concat(read).equals(ALL)).toBe(true);
  });

  it('end with the signal of their reader', async () => {
    const { bytes } = setUp(0);
    const stop = new AbortController();
    const next = bytes.from(0, stop.signal).next();
    stop.abort(new Error('closing'));
    await expect(next).rejects.toThrow('closing');
  });

  it('are released behind their readers, and refuse to be read then', () => {
    const window = new AudioWindow(0);
    for (let at = 0; at < ALL.byteLength; at += 1000) window.append(ALL.subarray(at, at + 1000));
    window.release(30_000);
    expect(window.read(30_000, 10).equals(ALL.subarray(30_000, 30_010))).toBe(true);
    expect(() => window.read(29_999, 1)).toThrow(RangeError);
  });
});
