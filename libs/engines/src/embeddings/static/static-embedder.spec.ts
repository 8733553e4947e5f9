import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { readEmbeddingTable, SHIPPED_TABLE } from './embedding-table.js';
import { StaticEmbedder } from './static-embedder.js';

const signal = new AbortController().signal;
const embedder = new StaticEmbedder();
const embed = (...texts: string[]) => embedder.embed({ texts, purpose: 'passage', signal });
const cosine = (a?: Float32Array, b?: Float32Array) => (a && b ? a.reduce((sum, value, index) => sum + value * (b[index] as number), 0) : NaN);

describe('StaticEmbedder', () => {
  it('has the table that is shipped, under its name', async () => {
    const { name, dimensions, vocabulary } = await readEmbeddingTable();
    expect({ name, dimensions }).toEqual({ name: embedder.info.name, dimensions: embedder.info.dimensions });
    expect(vocabulary.length).toBeGreaterThan(25_000);
  });

  it.each([
    ['The budget is too small for two hires.', 'We cannot afford another engineer.', 'The cat sleeps in the sun.'],
    ['My stomach hurts after dinner.', 'The patient feels abdominal pain when eating.', 'The train to the airport is late.'],
    ['Our servers were down for an hour.', 'There was an outage of the website.', 'Tomatoes need a lot of water.'],
    ['She resigned last week.', 'An employee quit her job.', 'The bridge was painted green.'],
  ])('puts %j nearer to %j than to another matter', async (text, near, far) => {
    const [a, b, c] = await embed(text, near, far);
    expect(cosine(a, b)).toBeGreaterThan(cosine(a, c) + 0.1);
  });

  it('gives each text a vector of length 1, the same every time', async () => {
    const [first, again] = await embed('What did they decide?', 'What did they decide?');
    expect(first).toHaveLength(256);
    expect(cosine(first, first)).toBeCloseTo(1, 5);
    expect(again).toEqual(first);
  });

  it('has none for a text without a word that it knows', async () => {
    expect(await embed('', ' ', '!?', '2026', 'Привет, мир', '東京タワー', 'สวัสดี')).toEqual(Array.from({ length: 7 }, () => undefined));
  });

  it('has the vectors of a call in one piece of memory', async () => {
    const vectors = await embed('What did they decide?', '?!', 'The roof leaks.');
    expect(vectors[1]).toBeUndefined();
    expect(vectors[2]?.buffer).toBe(vectors[0]?.buffer);
    expect(cosine(vectors[2], (await embed('The roof leaks.'))[0])).toBeCloseTo(1, 5);
  });

  it('stops when canceled', async () => {
    await expect(embedder.embed({ texts: ['one'], purpose: 'query', signal: AbortSignal.abort() })).rejects.toMatchObject({ code: 'canceled' });
  });

  it.each([['is cut off', (file: Buffer) => file.subarray(0, 900_000)], ['is none', () => Buffer.from('no table')]])('says that a table %s, and reads it again once it is mended', async (_what, damage) => {
    const folder = await mkdtemp(join(tmpdir(), 'parlance-table-'));
    const path = join(folder, 'table.safetensors');
    const table = await readFile(SHIPPED_TABLE);
    await writeFile(path, damage(table));
    const mended = new StaticEmbedder(path);
    await expect(mended.embed({ texts: ['one'], purpose: 'query', signal })).rejects.toMatchObject({ code: 'engine_failed', retryable: false, message: expect.not.stringContaining(folder) });
    await writeFile(path, table);
    expect((await mended.embed({ texts: ['one'], purpose: 'query', signal }))[0]).toHaveLength(256);
    await rm(folder, { recursive: true });
  });
});
