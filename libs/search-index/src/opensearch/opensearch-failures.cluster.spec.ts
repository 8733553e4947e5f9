import { setImmediate as nextTurn } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { createLogger } from '@parlance/platform';
import { GuardedServer, type GuardOptions } from '../../test/guarded-server.js';
import { OpenSearchPlayground } from '../../test/opensearch-playground.js';
import { aJob, direction } from '../contract/search-fixture.js';
import type { SearchIndex } from '../search-index.js';
import { OpenSearchSearchIndex } from './opensearch-search-index.js';
import { WRITING } from './opensearch-server.js';

describe('OpenSearchSearchIndex', () => {
  let playground: OpenSearchPlayground;
  let guard: GuardedServer | undefined;
  const open: SearchIndex[] = [];
  const lines: string[] = [];
  const log = createLogger({ level: 'info', destination: { write: (line: string) => void lines.push(line) } });

  beforeEach(async () => {
    lines.length = 0;
    playground = await OpenSearchPlayground.create({ dimensions: 8 });
  });
  afterEach(async () => {
    for (const index of open.splice(0)) await index.close();
    await guard?.dispose();
    guard = undefined;
    await playground.dispose();
  });

  const through = async (options: GuardOptions, connect: { user?: string; password?: string; query?: string } = {}) => {
    guard = await GuardedServer.create(options);
    const { user, ...rest } = connect;
    const url = `${options.tls ? 'https' : 'http'}://${user === undefined ? '' : `${user}@`}${guard.host}`;
    const query = options.tls && rest.query === undefined ? `?ca=${guard.ca}` : (rest.query ?? '');
    const index = playground.connectThrough(url, { ...rest, query, log });
    open.push(index);
    return index;
  };
  const found = async (index: SearchIndex, text: string) => {
    await playground.settle();
    return (await index.search({ accountId: 'acc', text })).hits.map(({ jobId }) => jobId);
  };
  const logged = async (pattern: RegExp) => {
    while (!lines.some((line) => pattern.test(line))) await nextTurn();
  };

  it('speaks TLS with an authority of its own, and has its password from elsewhere than its URL', async () => {
    const index = await through({ tls: true, credentials: 'parlance:s3cret' }, { user: 'parlance', password: 's3cret' });
    await index.check();
    expect(await index.put(aJob('job1', ['alpha']))).toBe(true);
    expect(await found(index, 'alpha')).toEqual(['job1']);
  });

  it('does not trust an unknown authority', async () => {
    const index = await through({ tls: true }, { query: '?replicas=0' });
    await expect(index.check()).rejects.toMatchObject({ kind: 'unavailable', code: 'search_unavailable' });
    await logged(/self-signed certificate/);
  });

  it('says that a password is wrong, and goes on trying', async () => {
    const index = await through({ credentials: 'parlance:right' }, { user: 'parlance:wrong' });
    await expect(index.check()).rejects.toMatchObject({ code: 'search_unavailable', message: expect.stringMatching(/refused the user or its password/) });
    await expect(index.search({ accountId: 'acc', text: 'alpha' })).rejects.toMatchObject({ message: expect.stringMatching(/refused/) });
    await logged(/refused the user or its password; trying again/);
    expect(lines.join()).not.toContain('wrong');
  });

  it('waits for a server that is down at the start, with a line for each try', async () => {
    const index = await through({});
    await guard?.stop();
    const started = playground.connectThrough(`http://${guard?.host}`, { log });
    open.push(started);
    await logged(/search server unavailable; trying again/);
    await expect(started.check()).rejects.toMatchObject({ code: 'search_unavailable' });
    const putting = started.put(aJob('job1', ['alpha']));
    await guard?.start();
    expect(await putting).toBe(true);
    await logged(/search server available/);
    await started.check();
    expect(await found(index, 'alpha')).toEqual(['job1']);
  });

  it('tries again what the server was too busy for, and that alone', async () => {
    let refused = 0;
    const sent: number[] = [];
    const index = await through({
      instead: (path, body) => {
        if (!path.includes('-passages/_bulk')) return undefined;
        const ids = body.trim().split('\n').filter((_, line) => line % 2 === 0);
        sent.push(ids.length);
        if (refused === 2) return undefined;
        refused += 1;
        // The first time the whole request, then all but its first item; that one is written by hand.
        if (refused === 1) return { status: 429, body: { error: { type: 'rejected_execution_exception' }, status: 429 } };
        const busy = { status: 429, error: { type: 'rejected_execution_exception', reason: 'busy' } };
        return { status: 200, body: { errors: true, items: ids.map((_, at) => ({ index: at === 0 ? { status: 201 } : busy })) } };
      },
    });
    expect(await index.put(aJob('job1', ['alpha', 'beta', 'gamma']))).toBe(true);
    expect(sent).toEqual([3, 3, 2]);
    expect(await found(index, 'beta gamma')).toEqual(['job1', 'job1']);
  });

  it('says that the index is of another mapping, and of which', async () => {
    const index = OpenSearchSearchIndex.open(playground.url, { dimensions: 4 });
    open.push(index);
    const conflict = { kind: 'conflict', code: 'search_mapping_conflict', retryable: false, message: expect.stringMatching(/8 dimensions.*4.*search reindex/) };
    await expect(index.put(aJob('job1', ['alpha']))).rejects.toMatchObject(conflict);
    await expect(index.check()).rejects.toMatchObject(conflict);
  });

  it('says that the index does not take a field', async () => {
    const name = `${playground.prefix}-passages-v1`;
    const { [name]: described } = await playground.server.call<Record<string, { mappings: { properties: Record<string, object> } }>>({ method: 'GET', path: `/${name}` }, WRITING);
    const { times: _, ...properties } = described?.mappings.properties ?? {};
    await playground.server.call({ method: 'DELETE', path: `/${name}` }, WRITING);
    const body = { settings: { index: { knn: true, number_of_replicas: 0 } }, mappings: { ...described?.mappings, properties }, aliases: { [`${playground.prefix}-passages`]: {} } };
    await playground.server.call({ method: 'PUT', path: `/${name}`, body }, WRITING);
    await expect(playground.index.put(aJob('job1', ['alpha']))).rejects.toMatchObject({ code: 'search_mapping_conflict', message: expect.stringMatching(/search reindex/) });
  });

  it('says that there is no index, and makes none of its own accord', async () => {
    await playground.server.call({ method: 'DELETE', path: `/${playground.prefix}-*` }, WRITING);
    const index = playground.connect();
    open.push(index);
    const missing = { code: 'search_index_missing', message: expect.stringMatching(/search migrate/) };
    await expect(index.put(aJob('job1', ['alpha']))).rejects.toMatchObject(missing);
    await expect(index.search({ accountId: 'acc', text: 'alpha' })).rejects.toMatchObject(missing);
    await expect(index.check()).rejects.toMatchObject(missing);
    expect(await playground.server.call({ method: 'GET', path: `/${playground.prefix}-*` }, WRITING)).toEqual({});
  });

  it('makes the index where its URL says so', async () => {
    await playground.server.call({ method: 'DELETE', path: `/${playground.prefix}-*` }, WRITING);
    const indices = ['a', 'b'].map(() => OpenSearchSearchIndex.open(`${playground.url}&createIndex=true`, { dimensions: 8 }));
    open.push(...indices);
    await Promise.all(indices.map((index, at) => index.put(aJob(`job${at}`, [{ text: 'alpha', embedding: direction(0) }]))));
    expect((await found(indices[0] as SearchIndex, 'alpha')).toSorted()).toEqual(['job0', 'job1']);
  });

  it('finishes a job whose writer was killed, when it is put again', async () => {
    await playground.index.put(aJob('job1', ['alpha one', 'alpha two', 'alpha three']));
    const killed = new Error('killed');
    const index = await through({ instead: (path) => (path.includes('-passages/_bulk') ? { status: 400, body: { error: { type: 'killed', reason: killed.message } } } : undefined) });
    await expect(index.put(aJob('job1', ['alpha four'], { version: 2 }))).rejects.toThrow();
    await playground.index.updateSpeakers({ accountId: 'acc', jobId: 'job1', version: 3 }, {});
    // Older than the change of its speakers: it is read again, and put as that.
    expect(await playground.index.put(aJob('job1', ['alpha four'], { version: 2 }))).toBe(false);
    expect(await playground.index.put(aJob('job1', ['alpha four'], { version: 3 }))).toBe(true);
    expect(await found(playground.index, 'alpha')).toEqual(['job1']);
  });
});
