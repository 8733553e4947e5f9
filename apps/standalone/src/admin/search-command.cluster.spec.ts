import { execFile, spawn } from 'node:child_process';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { GuardedServer } from '../../../../libs/search-index/test/guarded-server.js';
import { OpenSearchPlayground } from '../../../../libs/search-index/test/opensearch-playground.js';

const root = fileURLToPath(new URL('../../../../', import.meta.url));
const MAIN = 'bundle/parlance-admin.js';
const SLOW_MS = 120_000;
const DIMENSIONS = 8;

const run = (args: string[], env: Record<string, string> = {}) =>
  new Promise<{ code: number; stdout: string; stderr: string }>((resolve) => {
    execFile(process.execPath, args, { cwd: root, env: { PATH: process.env['PATH'], ...env } }, (error, stdout, stderr) =>
      resolve({ code: error ? Number(error.code) : 0, stdout, stderr }),
    );
  });
const lines = (printed: string) => printed.split('\n').filter((line) => line !== '');

beforeAll(async () => {
  expect(await run(['scripts/build.mjs'])).toMatchObject({ code: 0 });
});

describe('parlance-admin search', () => {
  let playground: OpenSearchPlayground;
  let other: string;
  const guards: GuardedServer[] = [];
  const guarded = async (credentials?: string) => {
    const guard = await GuardedServer.create(credentials === undefined ? {} : { credentials });
    guards.push(guard);
    return guard;
  };
  const settings = (url = playground.url, dimensions = DIMENSIONS) => ({ SEARCH_URL: url, SEARCH_DIMENSIONS: String(dimensions) });
  const admin = (env: Record<string, string>, ...args: string[]) => run([MAIN, 'search', ...args], env);

  beforeAll(async () => {
    playground = await OpenSearchPlayground.create({ dimensions: DIMENSIONS });
    // Below the playground's prefix, so that it goes with it.
    other = `${playground.prefix}-b`;
  });
  afterEach(async () => {
    for (const guard of guards.splice(0)) await guard.dispose();
  });
  afterAll(() => playground.dispose());

  it('waits for a server that comes up, makes the indices once, and says what it did', async () => {
    const guard = await guarded();
    await guard.stop();
    const env = { PATH: process.env['PATH'], ...settings(`opensearch+http://${guard.host}/${other}?replicas=0`) };
    const waiting = spawn(process.execPath, [MAIN, 'search', 'migrate'], { cwd: root, env, stdio: ['ignore', 'pipe', 'pipe'] });
    const printed = text(waiting.stdout);
    const said = await new Promise<string>((resolve) => waiting.stderr.setEncoding('utf8').once('data', resolve));
    expect(said).toMatch(/^Waiting for OpenSearch: .*ECONNREFUSED/);
    await guard.start();
    expect(lines(await printed)).toEqual([`${other}-jobs-v1: created`, `${other}-passages-v1: created`]);
    const again = await admin(settings(playground.url.replace(playground.prefix, other)), 'migrate', '--json');
    expect([again.code, JSON.parse(again.stdout), again.stderr]).toEqual([0, { created: [], needsReindex: false }, '']);
  }, SLOW_MS);

  it('copies to other dimensions when it is told that this is needed', async () => {
    const changed = settings(playground.url, 16);
    expect(await admin(changed, 'migrate')).toMatchObject({ code: 0, stdout: expect.stringMatching(/nothing to create\n.*"parlance-admin search reindex"/) });
    const name = (version: number) => `${playground.prefix}-passages-v${version}`;
    expect(await admin(changed, 'reindex')).toEqual({ code: 0, stdout: `0 passages copied from ${name(1)} to ${name(2)}\n`, stderr: '' });
    expect(JSON.parse((await admin(changed, 'migrate', '--json')).stdout)).toEqual({ created: [], needsReindex: false });
    const { stdout } = await admin(changed, 'reindex', '--restart', '--json');
    expect(JSON.parse(stdout)).toEqual({ from: name(2), to: name(3), passages: 0 });
    expect(await admin(changed, 'purge')).toMatchObject({ code: 0, stderr: '' });
  }, SLOW_MS);

  it('says in one line that there is nothing to copy or to purge', async () => {
    const missing = settings(playground.url.replace(playground.prefix, `${playground.prefix}-none`));
    for (const command of ['reindex', 'purge']) {
      const { code, stdout, stderr } = await admin(missing, command);
      expect({ command, failed: code === 1 || code === 3, stdout, said: lines(stderr) }).toEqual({ command, failed: true, stdout: '', said: [expect.stringContaining('"parlance-admin search migrate"')] });
    }
  }, SLOW_MS);

  it('gives up in one line', async () => {
    const { code, stdout, stderr } = await admin(settings('opensearch+http://127.0.0.1:1/x'), 'migrate', '--timeout', '1');
    expect([code, stdout, lines(stderr).at(-1)]).toEqual([1, '', expect.stringMatching(/^The search server is unavailable: .*ECONNREFUSED.*Gave up after 1 s/)]);
  }, SLOW_MS);

  it('does not wait for a wrong password to become right', async () => {
    const guard = await guarded('parlance:right');
    const url = `opensearch+http://parlance@${guard.host}/${playground.prefix}`;
    const { code, stderr } = await admin({ ...settings(url, 16), SEARCH_PASSWORD: 'wrong' }, 'migrate');
    expect([code, lines(stderr)]).toEqual([1, [expect.stringMatching(/^The search server refused the user or its password/)]]);
    expect(await admin({ ...settings(url, 16), SEARCH_PASSWORD: 'right' }, 'migrate')).toMatchObject({ code: 0, stderr: '' });
  }, SLOW_MS);
});
