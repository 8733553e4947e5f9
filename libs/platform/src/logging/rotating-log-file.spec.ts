import { execFile } from 'node:child_process';
import { mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';

const run = promisify(execFile);
const root = fileURLToPath(new URL('../../../../', import.meta.url));
const MAX_BYTES = 10_000;

/** Writes lines, in turns of the event loop, and leaves in the midst of it as a process does on its last signal. */
const WRITER = `
  import { createLogger } from './libs/platform/dist/logging/logger.js';
  import { rotatingLogFile } from './libs/platform/dist/logging/rotating-log-file.js';
  const [path, lines, keep] = process.argv.slice(1);
  const log = createLogger({ level: 'info', destination: rotatingLogFile({ path, maxBytes: ${MAX_BYTES}, keep: Number(keep) }) });
  for (let line = 0; line < Number(lines); line++) {
    log.info({ line }, 'something that happened');
    if (line % 10 === 9) await new Promise(setImmediate);
  }
  process.exit(0);
`;

describe('a rotating log file', () => {
  let folder: string;
  let path: string;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'parlance-log-'));
    path = join(folder, 'parlance.log');
  });
  afterEach(() => rm(folder, { recursive: true }));

  const writer = (lines: number, keep: number, ...before: string[]) => {
    const [program = process.execPath, ...args] = [...before, process.execPath, '--input-type=module', '-e', WRITER, path, String(lines), String(keep)];
    return run(program, args, { cwd: root, env: { PATH: process.env['PATH'] } });
  };
  const linesOf = async (name: string) => (await readFile(join(folder, name), 'utf8')).split('\n').slice(0, -1).map((line) => (JSON.parse(line) as { line: number }).line);

  it('is set aside while the process runs, and no line is lost', async () => {
    await writer(500, 9);
    const names = (await readdir(folder)).toSorted();
    expect(names.length).toBeGreaterThan(3);
    const lines = await Promise.all(names.map(linesOf));
    expect(lines.flat().toSorted((a, b) => a - b)).toEqual(Array.from({ length: 500 }, (_, line) => line));
    for (const name of names) {
      const { size, mode } = await stat(join(folder, name));
      expect([name, size < MAX_BYTES * 1.5, mode & 0o777]).toEqual([name, true, 0o600]);
    }
  });

  it('keeps the newest, in order', async () => {
    await writer(1000, 2);
    expect((await readdir(folder)).toSorted()).toEqual(['parlance.log', 'parlance.log.1', 'parlance.log.2']);
    const lines = [...(await linesOf('parlance.log.2')), ...(await linesOf('parlance.log.1')), ...(await linesOf('parlance.log'))];
    expect(lines).toEqual(Array.from({ length: lines.length }, (_, index) => 1000 - lines.length + index));
  });

  it('goes on in the file of an earlier start, and sets a large one aside', async () => {
    await writer(10, 2);
    await writer(10, 2);
    expect(await linesOf('parlance.log')).toHaveLength(20);
    await writeFile(path, '{}\n'.repeat(MAX_BYTES));
    await writer(10, 2);
    expect(await linesOf('parlance.log')).toHaveLength(10);
  });

  it('lets the process live where the disk is full', async () => {
    const mount = ['unshare', ...(process.getuid?.() === 0 ? [] : ['--map-root-user']), '--mount', 'sh', '-c'];
    const small = [...mount, `mount -t tmpfs -o size=32k tmpfs "${folder}" && exec "$@"`, 'sh'];
    await expect(writer(2000, 9, ...small)).resolves.toMatchObject({ stderr: '' });
  });
});
