import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text as bodyOf } from 'node:stream/consumers';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { search } from '@parlance/contracts';
import { silentLogger, systemClock, ulidGenerator } from '@parlance/platform';
import { openDocumentDatabase } from '@parlance/storage';
import { eventually } from '@parlance/testing';
import { IndexRebuild } from '../src/operators.js';
import { SearchHarness } from './search-harness.js';

const { SearchMode: Mode } = search;

describe('another embedding engine', () => {
  let server: Server;
  let folder: string;
  /** Passages that each model was asked for. */
  let embedded: string[];
  let answers: (model: string) => boolean;
  let refusal: number;

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'parlance-renewal-'));
    embedded = [];
    answers = () => true;
    refusal = 503;
    server = createServer(async (request, response) => {
      const { input, model } = JSON.parse(await bodyOf(request)) as { input: string[]; model: string };
      if (!answers(model)) return void response.writeHead(refusal).end('{}');
      embedded.push(...input.map((text) => `${model}: ${text}`));
      const data = input.map((_text, index) => ({ index, embedding: Array.from({ length: 256 }, (_zero, at) => (at === model.length ? 1 : 0.01)) }));
      response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify({ data }));
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  });
  afterEach(async () => {
    server.closeAllConnections();
    server.close();
    await rm(folder, { recursive: true });
  });

  /** On the same documents and the same index each time. */
  async function withEngine(model: string): Promise<SearchHarness> {
    const engine = `openai+http://127.0.0.1:${(server.address() as AddressInfo).port}/v1?model=${model}&maxRetries=0`;
    const env = { EMBEDDINGS_ENGINE_URL: engine, DATABASE_URL: `sqlite:${folder}`, SEARCH_URL: `sqlite:${join(folder, 'passages.db')}` };
    return SearchHarness.start(env, (source) => source.add('job_pears', ['The orchard has nine pear trees.']));
  }

  it('has its own vectors made by itself, and until then words are searched alone', async () => {
    const first = await withEngine('one');
    await first.indexed('job_pears');
    expect((await first.search('pear trees')).mode).toBe(Mode.SEARCH_MODE_HYBRID);
    await first[Symbol.asyncDispose]();

    answers = (model) => model === 'one';
    const away = await withEngine('second');
    expect(await away.search('pear trees')).toMatchObject({ mode: Mode.SEARCH_MODE_LEXICAL, hits: [{ jobId: 'job_pears' }] });
    await away[Symbol.asyncDispose]();

    answers = () => true;
    await using second = await withEngine('second');
    await eventually('the transcript to be indexed anew', () => embedded.includes('second: The orchard has nine pear trees.'));
    await eventually('meaning to be searched', async () => (await second.search('fruit', { mode: Mode.SEARCH_MODE_SEMANTIC })).mode === Mode.SEARCH_MODE_SEMANTIC);
    expect((await second.search('fruit', { mode: Mode.SEARCH_MODE_SEMANTIC })).hits.map(({ jobId }) => jobId)).toEqual(['job_pears']);
  });

  it('that failed for a transcript makes its vectors once it works again, without a retry', async () => {
    answers = () => false;
    refusal = 401;
    const away = await withEngine('one');
    await away.indexed('job_pears');
    expect(await away.search('pear trees')).toMatchObject({ mode: Mode.SEARCH_MODE_LEXICAL, hits: [{ jobId: 'job_pears' }] });
    await away[Symbol.asyncDispose]();

    answers = () => true;
    await using back = await withEngine('one');
    await eventually('meaning to be searched', async () => (await back.search('fruit', { mode: Mode.SEARCH_MODE_SEMANTIC })).hits.map(({ jobId }) => jobId).join() === 'job_pears');
  });
});

describe('an index that was lost', () => {
  it('is filled anew from the transcripts when an operator asks', async () => {
    await using opened = new AsyncDisposableStack();
    const folder = await mkdtemp(join(tmpdir(), 'parlance-rebuild-'));
    opened.defer(() => rm(folder, { recursive: true }));
    const start = () =>
      SearchHarness.start({ DATABASE_URL: `sqlite:${folder}`, SEARCH_URL: `sqlite:${join(folder, 'passages.db')}` }, (source) => {
        source.add('job_pears', ['The orchard has nine pear trees.']);
        source.add('job_birnen', ['Im Garten stehen neun Bäume.'], { language: 'de' });
      });
    const first = await start();
    await first.indexed('job_pears', 'job_birnen');
    await first[Symbol.asyncDispose]();
    for (const file of (await readdir(folder)).filter((name) => name.startsWith('passages.db'))) await rm(join(folder, file));

    const documents = await openDocumentDatabase(`sqlite:${join(folder, 'search.db')}`, { clock: systemClock, ids: ulidGenerator(), log: silentLogger(), source: 'search' });
    opened.defer(() => documents.close());
    const rebuild = new IndexRebuild(documents);
    expect(await rebuild.request()).toBe(2);
    await using second = await start();
    await eventually('all to be indexed anew', async () => (await rebuild.left()) === 0);
    expect(await second.search('fruit trees', { mode: Mode.SEARCH_MODE_SEMANTIC })).toMatchObject({ mode: Mode.SEARCH_MODE_SEMANTIC, hits: [{ jobId: 'job_pears' }] });
    expect(await second.jobsFor('Garten', { mode: Mode.SEARCH_MODE_LEXICAL })).toEqual(['job_birnen']);
  });
});
