import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { MODEL_CATALOGUE, type CatalogueModel } from '@parlance/engines/local-models';
import { ModelServer } from '../../../../libs/engines/test/model-server.js';
import { AdminFailure } from './admin-failure.js';
import { modelsCommand } from './models-command.js';

const root = fileURLToPath(new URL('../../../../', import.meta.url));
const ARCHIVE = readFileSync(join(root, 'libs/engines/test/archives/model.tar.bz2'));
const TINY: CatalogueModel = {
  ...(MODEL_CATALOGUE[0] as CatalogueModel),
  name: 'tiny',
  title: 'Tiny',
  source: 'asr-models/tiny.tar.bz2',
  bytes: ARCHIVE.length,
  sha256: createHash('sha256').update(ARCHIVE).digest('hex'),
  files: ['model.int8.onnx', 'tokens.txt'],
};

interface Result {
  code: number;
  stdout: string;
  stderr: string;
}

describe('parlance-admin models', () => {
  let folder: string;
  let server: ModelServer;

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'parlance-models-'));
    server = await ModelServer.start(ARCHIVE);
  });
  afterEach(async () => {
    await server.close();
    await rm(folder, { recursive: true });
  });

  /** The command as main.ts runs it, with a catalogue of one model that the server has. */
  async function models(...args: string[]): Promise<Result> {
    const result: Result = { code: 0, stdout: '', stderr: '' };
    const print = (text: string) => void (result.stdout += `${text}\n`);
    const say = (text: string) => void (result.stderr += `${text}\n`);
    const unused = () => Promise.reject(new Error('not used'));
    const env = { PARLANCE_DATA: folder, MODELS_MIRROR: server.url };
    const command = modelsCommand({ env, print, say, withEventBus: unused, withTaskQueues: unused, withServiceTasks: unused, withDocuments: unused, withOutboxes: unused }, [TINY]).exitOverride();
    try {
      await command.parseAsync(['node', 'models', ...args]);
    } catch (thrown) {
      const failure = AdminFailure.from(thrown);
      say(failure.message);
      result.code = failure.exitCode;
    }
    return result;
  }
  const parsed = async (...args: string[]) => JSON.parse((await models(...args, '--json')).stdout);

  it('shows what there is, gets it with its licence said, and shows that it is here', async () => {
    expect((await models('list')).stdout).toMatch(/^NAME .*\ntiny +speech +\d+ +0 MB +MIT +no\n$/);
    const got = await models('get', 'tiny');
    expect(got).toMatchObject({ code: 0, stdout: 'got tiny\n', stderr: expect.stringContaining('licence MIT (https://github.com/openai/whisper') });
    expect(got.stderr).toContain('tiny: 100 %');
    expect(await parsed('list')).toMatchObject([{ name: 'tiny', installed: true, folder: join(folder, 'models', 'tiny'), license: { name: 'MIT' } }]);
    expect(await models('get', 'tiny')).toEqual({ code: 0, stdout: 'tiny is already installed\n', stderr: '' });
    expect(await parsed('get', 'tiny', '--again')).toMatchObject([{ name: 'tiny', files: [{ path: 'LICENSE' }, { path: 'model.int8.onnx' }, { path: 'tokens.txt' }] }]);
    expect(server.requests).toHaveLength(2);
  });

  it('tells whole models from damaged ones', async () => {
    expect(await models('verify')).toMatchObject({ code: 0, stdout: 'No models.\n' });
    await models('get', 'tiny');
    expect(await models('verify')).toMatchObject({ code: 0, stdout: 'tiny: whole\n' });
    await writeFile(join(folder, 'models', 'tiny', 'tokens.txt'), 'b 0\n');
    expect(await models('verify', 'tiny')).toEqual({
      code: 1,
      stdout: 'tiny: tokens.txt is damaged\n',
      stderr: 'Damaged; "parlance-admin models get --again tiny" downloads them again.\n',
    });
    expect(await parsed('verify')).toEqual([{ name: 'tiny', ok: false, faults: [{ path: 'tokens.txt', fault: 'damaged' }] }]);
  });

  it('fails in one line, with the exit codes of the other commands', async () => {
    expect(await models('get', 'nothing')).toMatchObject({ code: 3, stdout: '', stderr: expect.stringContaining('models list') });
    expect(await models('verify', 'tiny')).toMatchObject({ code: 3, stderr: 'The model tiny was not found.\n' });
    server.next.push({ status: 404 });
    const { code, stderr } = await models('get', 'tiny');
    expect([code, stderr.trim().split('\n').at(-1)]).toEqual([1, expect.stringContaining('answered with status 404')]);
  });

  it('is one of the commands, and refuses a mirror that is no address', async () => {
    const admin = (args: string[], env: Record<string, string> = {}) =>
      new Promise<Result>((resolve) => {
        const options = { cwd: root, env: { PATH: process.env['PATH'], PARLANCE_DATA: folder, ...env } };
        execFile(process.execPath, ['bundle/parlance-admin.js', 'models', ...args], options, (error, stdout, stderr) =>
          resolve({ code: error ? Number(error.code) : 0, stdout, stderr }),
        );
      });
    const [list, wrong] = await Promise.all([admin(['list', '--json']), admin(['get', 'whisper-tiny'], { MODELS_MIRROR: 'ftp://models' })]);
    expect(JSON.parse(list.stdout)).toHaveLength(MODEL_CATALOGUE.length);
    expect(wrong).toMatchObject({ code: 2, stdout: '', stderr: expect.stringContaining('MODELS_MIRROR: must be an http: or https: address') });
  });
});

describe('the catalogue', () => {
  it('names each model once, with checksum, licence and what is kept of it', () => {
    expect(new Set(MODEL_CATALOGUE.map(({ name }) => name)).size).toBe(MODEL_CATALOGUE.length);
    for (const { name, sha256, license, source, bytes, files } of MODEL_CATALOGUE) {
      expect({ name, sha256 }).toEqual({ name, sha256: expect.stringMatching(/^[0-9a-f]{64}$/) });
      expect(source).toMatch(/^[a-z-]+\/[\w.+-]+\.(tar\.bz2|onnx)$/);
      expect(new URL(license.url).protocol).toBe('https:');
      expect(bytes).toBeGreaterThan(1e6);
      expect(files.length).toBeGreaterThan(0);
    }
  });
});
