import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { eventually } from '@parlance/event-bus/contract';
import type { MediaStore } from '../media-store.js';
import { openMediaStore } from '../open-media-store.js';
import type { PartialObject } from '../partial-object.js';

const program = fileURLToPath(new URL('../../../test/sealed-append-process.mjs', import.meta.url));
const KEY = 'acc/upload/source';
const TOTAL = 60_000_000;
const LIVES = 3;
/** More than the piece after which a state is reported. */
const BYTES_A_LIFE = 15_000_000;

describe('an append to a sealed object whose process is killed', () => {
  let folder: string;
  let media: MediaStore;
  let state: string;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'parlance-sealed-'));
    state = join(folder, 'state.json');
    const dataKey = { id: 'key', key: Buffer.alloc(32, 1) };
    media = await openMediaStore(url(), { of: async () => dataKey, find: async () => dataKey, destroy: async () => {} });
  });
  afterEach(() => rm(folder, { recursive: true }));

  const url = () => `file:${join(folder, 'media')}`;
  const recorded = async () => JSON.parse(await readFile(state, 'utf8')) as PartialObject;
  const start = (stallsAfter: number): ChildProcess => spawn(process.execPath, [program, url(), state, String(TOTAL), String(stallsAfter)], { stdio: 'inherit' });

  /** Lets a process append until it has reported further bytes, and kills it. */
  const live = async () => {
    const before = (await recorded()).sizeBytes;
    const child = start(BYTES_A_LIFE);
    const exited = once(child, 'exit');
    await eventually(async () => (await recorded()).sizeBytes > before, 'a further state');
    child.kill('SIGKILL');
    await exited;
  };

  it('goes on from the last state that was kept, and is whole in the end', async () => {
    await writeFile(state, JSON.stringify(await media.begin(KEY)));
    for (let life = 1; life <= LIVES; life += 1) await live();
    const killed = await recorded();
    expect(killed.sizeBytes).toBeGreaterThan(0);
    expect(killed.sizeBytes).toBeLessThan(TOTAL);
    expect(await once(start(TOTAL), 'exit')).toEqual([0, null]);
    expect(await media.finish(await recorded())).toEqual({ key: KEY, sizeBytes: TOTAL });

    let at = 0;
    let differing = 0;
    for await (const bytes of await media.get(KEY)) {
      for (const byte of bytes) if (byte !== (at++ * 7) % 251) differing += 1;
    }
    expect({ at, differing }).toEqual({ at: TOTAL, differing: 0 });
    const left: string[] = [];
    for await (const { key } of media.list('')) left.push(key);
    expect(left).toEqual([KEY]);
  });
});
