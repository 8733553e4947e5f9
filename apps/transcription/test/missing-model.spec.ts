import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from '@jest/globals';
import { createLogger } from '@parlance/platform';
import { runProcess } from '@parlance/runtime/process';
import { manifest } from '../src/service.js';

it('a start says that the model is not there, and how to get it, before any job needs it', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'parlance-missing-model-'));
  const lines: { level: string; msg: string }[] = [];
  const log = createLogger({ level: 'warn', destination: { write: (line) => void lines.push(JSON.parse(line) as (typeof lines)[number]) } });
  const running = await runProcess([manifest], { env: { PARLANCE_DATA: folder, SPEECH_ENGINE_URL: 'sherpa:whisper-base' }, log });
  await running.close();
  await rm(folder, { recursive: true });
  expect(lines.filter(({ msg }) => msg.includes('whisper-base'))).toEqual([expect.objectContaining({ level: 'warn', msg: expect.stringContaining('parlance-admin models get whisper-base') })]);
});
