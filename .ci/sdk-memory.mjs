// The peak memory of a process that transcribes the file hour.wav of the folder SCRATCH, and that of one that only loads the runtime.
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { ParlanceProcess } from '@parlance/testing';

const MAX_MB = 60;
const run = promisify(execFile);
const client = pathToFileURL(join(process.env.SCRATCH, 'client/'));
// In kilobytes.
const PEAK = 'console.log(JSON.stringify({ peak: process.resourceUsage().maxRSS, ...result }));';
const TRANSCRIBE = `
import { Parlance } from '${client}index.js';
import { fromPath } from '${client}node.js';
const job = await new Parlance().transcriptions.transcribe({ file: await fromPath(process.env.FILE), language: 'en', diarization: false, summary: false });
const result = { duration: job.transcript.duration, characters: job.transcript.text.length };
${PEAK}`;

const parlance = await ParlanceProcess.start({ env: { LOG_LEVEL: 'error', SPEECH_ENGINE_URL: 'fixture:' } });
try {
  const env = { PATH: process.env.PATH, PARLANCE_BASE_URL: parlance.api.url, PARLANCE_API_KEY: parlance.api.apiKey, FILE: join(process.env.SCRATCH, 'hour.wav') };
  const measured = async (program) => JSON.parse((await run(process.execPath, ['--input-type=module', '-e', program], { env })).stdout);
  const bare = await measured(`const result = {};${PEAK}`);
  const { peak, duration, characters } = await measured(TRANSCRIBE);
  const megabytes = (peak - bare.peak) / 1024;
  console.log(`transcribe of ${duration} s (${characters} characters): ${megabytes.toFixed(1)} MB over the ${(bare.peak / 1024).toFixed(1)} MB of Node ${process.version}`);
  const isPassed = megabytes < MAX_MB && duration > 3590;
  console.log(isPassed ? '1 passed, 0 failed' : '0 passed, 1 failed');
  process.exitCode = isPassed ? 0 : 1;
} finally {
  await parlance.dispose();
}
