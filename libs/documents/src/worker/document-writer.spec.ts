import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { open, type FileHandle } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, describe, expect, it, jest } from '@jest/globals';
import { collectBytes, HEAD, turnsOf } from '../../test/document-fixture.js';
import { DocumentWriter } from './document-writer.js';

const scratchFolder = mkdtempSync(join(tmpdir(), 'documents-'));

/** One at once. */
const writerOf = (options: { spoolBytes?: number; templateMs?: number } = {}) =>
  new DocumentWriter({ concurrency: 1, maxWaitMs: 60_000, scratchFolder, spoolBytes: 10_000_000, ...options });

/** More than a piece; nothing of it packs. */
async function* long() {
  for (let turn = 0; turn < 200; turn++) yield { text: Array.from({ length: 100 }, (_, index) => Math.sin(turn * 100 + index)).join(' '), start: turn };
}

describe('DocumentWriter', () => {
  it('keeps nobody waiting for a reader that stands still, who finds its document whole', async () => {
    const writer = writerOf();
    const slow = writer.write('docx', HEAD, long());
    const { value: first } = await slow.next();
    expect(await collectBytes(writer.write('docx', HEAD, turnsOf()))).not.toHaveLength(0);
    const document = Buffer.concat([first as Uint8Array, await collectBytes(slow)]);
    expect([document.subarray(0, 4), document.subarray(-22, -18)]).toEqual([Buffer.from('PK\x03\x04'), Buffer.from('PK\x05\x06')]);
  });

  it('ends the thread and the reading of turns when its reader leaves', async () => {
    const writer = writerOf();
    let isClosed = false;
    async function* endless() {
      try {
        for (;;) yield* long();
      } finally {
        isClosed = true;
      }
    }
    for await (const bytes of writer.write('docx', HEAD, endless())) {
      expect(bytes.length).toBeGreaterThan(0);
      break;
    }
    expect(isClosed).toBe(true);
    expect(await collectBytes(writer.write('docx', HEAD, turnsOf()))).not.toHaveLength(0);
  });

  it('gives its place up when its reader has left while nothing could be read yet', async () => {
    const writer = writerOf();
    const gone = new AbortController();
    async function* silent() {
      gone.abort(new Error('the client is gone'));
      yield { text: 'Hello.' };
    }
    await expect(collectBytes(writer.write('docx', HEAD, silent(), gone.signal))).rejects.toThrow('the client is gone');
    expect(await collectBytes(writer.write('docx', HEAD, turnsOf()))).not.toHaveLength(0);
  });

  it('gives its place up when its reader has left while turns are waited for that never come', async () => {
    const writer = writerOf();
    const gone = new AbortController();
    async function* stalled() {
      yield { text: 'Hello.' };
      setTimeout(() => gone.abort(new Error('the client is gone')), 0);
      await new Promise(() => undefined);
    }
    await expect(collectBytes(writer.write('docx', HEAD, stalled(), gone.signal))).rejects.toThrow('the client is gone');
    expect(await collectBytes(writer.write('docx', HEAD, turnsOf()))).not.toHaveLength(0);
  });

  it('says that the disk is full, and gives its place and space up', async () => {
    const writer = writerOf({ spoolBytes: 200_000 });
    await using file = await open(scratchFolder);
    const write = jest.spyOn(Object.getPrototypeOf(file) as FileHandle, 'write').mockRejectedValue(Object.assign(new Error('no space left on device'), { code: 'ENOSPC' }));
    await expect(collectBytes(writer.write('docx', HEAD, turnsOf()))).rejects.toMatchObject({ kind: 'unavailable', code: 'storage_full' });
    write.mockRestore();
    expect(await collectBytes(writer.write('docx', HEAD, turnsOf()))).not.toHaveLength(0);
  });

  it('takes so much of the scratch folder and no more, until readers have done', async () => {
    const writer = writerOf({ spoolBytes: 200_000 });
    const reading = writer.write('docx', HEAD, long());
    await reading.next();
    const refused = { kind: 'unavailable', code: 'service_unavailable', retryAfter: 10 };
    await expect(collectBytes(writer.write('docx', HEAD, long()))).rejects.toMatchObject(refused);
    await reading.return(undefined);
    expect(await collectBytes(writer.write('docx', HEAD, turnsOf()))).not.toHaveLength(0);
  });

  it('ends a template whose filters go on for too long, and gives its place up', async () => {
    const writer = writerOf({ templateMs: 200 });
    const template = `{% assign all = (1..20000) %}{{ all${' | where_exp: "each", "each > 0"'.repeat(80)} | size }}`;
    const refused = { code: 'invalid_request', fields: [{ pointer: '?template', detail: 'It takes too long on this transcript.' }] };
    await expect(collectBytes(writer.write('md', { ...HEAD, template }, turnsOf()))).rejects.toMatchObject(refused);
    expect(await collectBytes(writer.write('docx', HEAD, turnsOf()))).not.toHaveLength(0);
  });

  it('tells why turns could not be read', async () => {
    async function* broken() {
      yield { text: 'one' };
      throw new Error('the pages are gone');
    }
    await expect(collectBytes(writerOf().write('docx', HEAD, broken()))).rejects.toThrow('the pages are gone');
  });

  afterEach(() => expect(readdirSync(scratchFolder)).toEqual([]));
  afterAll(() => rmSync(scratchFolder, { recursive: true }));
});
