import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { chmod, mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, join, resolve } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { common } from '@parlance/contracts';
import { childEnvironment, eventually } from '@parlance/testing';
import { reservePort } from '@parlance/platform/contract';
import { IngestHarness } from './ingest-harness.js';

const MEDIA_DECODER_TOKEN = 'a-token-of-decoder-calls';

/** Some samples, then a few more from time to time, without end. */
const ENDLESS = '#!/bin/bash\nhead -c 64000 /dev/zero\nwhile sleep 0.1; do head -c 320 /dev/zero || exit 1; done\n';

let folder: string;
const started: ChildProcess[] = [];
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'parlance-decoder-'));
  await mkdir(join(folder, 'bin'));
  await writeFile(join(folder, 'bin', 'ffmpeg'), ENDLESS);
  await chmod(join(folder, 'bin', 'ffmpeg'), 0o755);
});
afterEach(async () => {
  for (const child of started.splice(0)) await kill(child, 'SIGTERM');
  await rm(folder, { recursive: true, force: true });
});

/** The program as the image runs it. */
function startDecoder(port: number, env: Record<string, string>): ChildProcess {
  const settings = { MEDIA_DECODER_TOKEN, PARLANCE_DATA: join(folder, 'data'), GRPC_LISTEN: `127.0.0.1:${port}`, LOG_LEVEL: 'silent' };
  const child = spawn(process.execPath, [resolve('bundle/media-decoder.js')], { env: { ...childEnvironment(), ...settings, ...env }, stdio: ['ignore', 'ignore', 'inherit'] });
  started.push(child);
  return child;
}

async function kill(child: ChildProcess, signal: NodeJS.Signals): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  child.kill(signal);
  await once(child, 'exit');
}

const runsOf = async (tool: string) => (await readdir(join(folder, 'data/scratch/media-decoder')).catch(() => [])).filter((name) => name.startsWith(`${tool}-`));

describe('a media decoder that is killed while it decodes', () => {
  it('does not fail the job: another one decodes the recording anew', async () => {
    const port = await reservePort();
    await using harness = await IngestHarness.start({ MEDIA_DECODER_URL: `ipv4:127.0.0.1:${port}`, MEDIA_DECODER_TOKEN });
    const first = startDecoder(port, { MEDIA_SANDBOX: 'limits', PATH: [join(folder, 'bin'), process.env['PATH']].join(delimiter) });
    await harness.create('job_killed', '/talk.mp3');
    await eventually('decoding', async () => (await runsOf('ffmpeg')).length > 0);
    await kill(first, 'SIGKILL');
    startDecoder(port, {});
    const [ready] = await harness.untilHeard('media.ready', 'job_killed');
    expect(ready?.media).toMatchObject({ codec: 'mp3', duration: expect.closeTo(41, 0) });
    expect((await harness.get('job_killed')).status).toBe(common.JobStatus.JOB_STATUS_PROCESSING);
    expect(harness.heard('job.failed', 'job_killed')).toEqual([]);
  });
});
