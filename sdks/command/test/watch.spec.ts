import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { afterEach, beforeEach, expect, it } from '@jest/globals';
import { Parlance } from '@parlance/client';
import { Context } from '../src/context.js';
import { EXIT } from '../src/exit-codes.js';
import { watch } from '../src/watch/watch.js';
import { WatchState } from '../src/watch/watch-state.js';

const SHA256_OF_ABC = 'ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'watch-'));
  await writeFile(join(folder, 'talk.mp3'), 'abc');
});
afterEach(() => rm(folder, { recursive: true }));

it.each([
  [402, 'quota_exhausted', 'submitting', EXIT.limited],
  [400, 'media_invalid', 'failed', EXIT.failure],
])('a file that is refused with %i %s is %s afterwards', async (status, code, expected, exitCode) => {
  const problem = { type: `/problems/${code}`, title: code, status, code, detail: 'No.', request_id: 'req_1', retryable: false };
  const client = new Parlance({ apiKey: 'pl_1', fetch: async () => Response.json(problem, { status }) });
  const streams = { stdin: new PassThrough(), stdout: new PassThrough(), stderr: new PassThrough().resume() } as unknown as ConstructorParameters<typeof Context>[0];
  const context = new Context(streams, { XDG_CONFIG_HOME: folder }, new AbortController().signal);
  const file = join(folder, 'state.json');
  const result = await watch({ folder, output: join(folder, 'texts'), formats: ['txt'], settings: {}, client, context, jobs: 1, once: true, settle: 0, state: file });
  expect([(await WatchState.open(file)).recording(SHA256_OF_ABC)?.status, result]).toEqual([expected, exitCode]);
});
