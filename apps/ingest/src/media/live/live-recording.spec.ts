import { afterEach, beforeEach, describe, expect, it, test } from '@jest/globals';
import { common, mediaKeys } from '@parlance/contracts';
import { openMediaStore, type MediaStore } from '@parlance/storage';
import { MediaFiles } from '@parlance/testing';
import { keysUnder, readObject, writeObject } from '../../../test/stored-objects.js';
import { storePieceList } from './live-pieces.js';
import { LiveRecording } from './live-recording.js';
import { wavLayout } from './wav-header.js';

const { LIVE_ENCODING_ALAW, LIVE_ENCODING_MULAW, LIVE_ENCODING_PCM_S16LE, LIVE_ENCODING_UNSPECIFIED } = common.LiveEncoding;
const CONTAINER: common.LiveAudio = { encoding: LIVE_ENCODING_UNSPECIFIED, sampleRate: 0, channels: 0 };
const OWNER = { accountId: 'acc_1', jobId: 'job_1' };
const keys = mediaKeys(OWNER.accountId, OWNER.jobId);
const raw = (encoding: common.LiveEncoding, channels = 1): common.LiveAudio => ({ encoding, sampleRate: 8000, channels });

let files: MediaFiles;
let store: MediaStore;
beforeEach(async () => {
  files = await MediaFiles.create();
  store = await openMediaStore(`file:${files.path('store')}`);
});
afterEach(() => files[Symbol.asyncDispose]());

/** Stores pieces as the gateway does, with one of an older connection that came late and is in no list. */
async function record(...pieces: Uint8Array[]): Promise<Buffer> {
  const stored: string[] = [];
  let offset = 0;
  for (const [index, piece] of pieces.entries()) {
    const key = keys.livePiece(offset, 1 + index);
    await writeObject(store, key, piece);
    stored.push(key);
    offset += piece.length;
  }
  await writeObject(store, keys.livePiece(1, 9), Buffer.from('late'));
  await storePieceList(store, keys, stored);
  return Buffer.concat(pieces);
}

const join = (audio: common.LiveAudio, from: MediaStore = store) => new LiveRecording(from).join({ ...OWNER, audio, signal: new AbortController().signal });
const source = () => readObject(store, keys.source);
const bytes = (count: number, first = 0) => Buffer.from(Array.from({ length: count }, (_, index) => (first + index) % 251));

describe('the recording of a live session', () => {
  it('of a container is its pieces one after the other, which are gone afterwards', async () => {
    const whole = await record(...Array.from({ length: 30 }, (_, index) => bytes(100 + index, index)));
    await join(CONTAINER);
    expect((await source()).equals(whole)).toBe(true);
    expect(await keysUnder(store, keys.all)).toEqual([keys.source]);
  });

  test.each([
    ['16-bit PCM', LIVE_ENCODING_PCM_S16LE, 1, 16],
    ['mu-law', LIVE_ENCODING_MULAW, 7, 8],
    ['A-law', LIVE_ENCODING_ALAW, 6, 8],
  ])('of raw %s is a WAV file with the sizes of its whole frames', async (_, encoding, tag, bits) => {
    const whole = await record(bytes(1000), bytes(1003, 7));
    await join(raw(encoding, 2));
    const file = await source();
    const data = file.indexOf('data', 0, 'latin1');
    const dataBytes = file.readUInt32LE(data + 4);
    expect([file.readUInt16LE(20), file.readUInt16LE(22), file.readUInt32LE(24), file.readUInt16LE(34)]).toEqual([tag, 2, 8000, bits]);
    expect(dataBytes).toBe(bits === 16 ? 2000 : 2002);
    expect(file.subarray(data + 8, data + 8 + dataBytes).equals(whole.subarray(0, dataBytes))).toBe(true);
    expect(file.readUInt32LE(4)).toBe(file.length - 8);
    expect(file.length).toBe(data + 8 + dataBytes);
  });

  it('has an even length, as RIFF asks, also of an odd number of samples', async () => {
    await record(bytes(7));
    await join(raw(LIVE_ENCODING_MULAW));
    const file = await source();
    const data = file.indexOf('data', 0, 'latin1');
    expect([file.readUInt32LE(data + 4), file.length - data - 8, file.readUInt32LE(4)]).toEqual([7, 8, file.length - 8]);
  });

  it('is empty when less than a sample was received', async () => {
    await record(bytes(1));
    await expect(join(raw(LIVE_ENCODING_PCM_S16LE))).rejects.toMatchObject({ code: 'media_empty' });
  });

  it('of more than 4 GiB is RF64, whose sizes have 64 bits', () => {
    const frames = 3 * 1024 ** 3;
    const layout = wavLayout(raw(LIVE_ENCODING_PCM_S16LE), 2 * frames);
    const header = layout?.header ?? Buffer.alloc(0);
    expect([header.toString('latin1', 0, 4), header.readUInt32LE(4), header.toString('latin1', 12, 16)]).toEqual(['RF64', 0xffffffff, 'ds64']);
    expect([header.readBigUInt64LE(20), header.readBigUInt64LE(28), header.readBigUInt64LE(36)]).toEqual([BigInt(header.length - 8 + 2 * frames), BigInt(2 * frames), BigInt(frames)]);
  });

  it('does not come about while a piece is missing', async () => {
    await record(bytes(10), bytes(10, 5));
    await store.remove(keys.livePiece(10, 2));
    await expect(join(CONTAINER)).rejects.toMatchObject({ kind: 'internal' });
    expect(await store.head(keys.source)).toBeUndefined();
  });
});

describe('a process that is killed while it joins a recording', () => {
  class Killed extends Error {}

  /** A store whose process dies at its nth step, before the step or after it. */
  function dyingAt(step: number, isDone: boolean): { store: MediaStore; steps: () => number } {
    let steps = 0;
    const dies = async <T>(act: () => Promise<T>): Promise<T> => {
      steps += 1;
      if (steps < step) return act();
      if (steps === step && isDone) await act();
      throw new Killed();
    };
    const dying: MediaStore = Object.assign(Object.create(store) as MediaStore, {
      head: (key: string) => dies(() => store.head(key)),
      get: (key: string) => dies(() => store.get(key)),
      put: (...args: Parameters<MediaStore['put']>) => dies(() => store.put(...args)),
      remove: (key: string) => dies(() => store.remove(key)),
      // One step for each object: in between, the process may die as well.
      removePrefix: async (prefix: string) => {
        let removed = 0;
        for (const key of await keysUnder(store, prefix)) removed += Number(await dies(() => store.remove(key)));
        return removed;
      },
    });
    return { store: dying, steps: () => steps };
  }

  it('leaves what another one makes the same recording of, at whatever step it dies', async () => {
    const pieces = Array.from({ length: 4 }, (_, index) => bytes(50, index));
    const counted = dyingAt(Infinity, false);
    await record(...pieces);
    await join(CONTAINER, counted.store);
    expect(counted.steps()).toBeGreaterThan(10);
    for (let step = 1; step <= counted.steps(); step += 1) {
      for (const isDone of [false, true]) {
        await store.removePrefix(keys.all);
        const whole = await record(...pieces);
        await expect(join(CONTAINER, dyingAt(step, isDone).store)).rejects.toThrow(Killed);
        await join(CONTAINER);
        expect((await source()).equals(whole)).toBe(true);
        expect(await keysUnder(store, keys.all)).toEqual([keys.source]);
      }
    }
  });
});
