import { mkdirSync, readFileSync } from 'node:fs';
import { relative, resolve } from 'node:path';
import { ConfigError, createLogger, readConfig, type Logger } from '@parlance/platform';
import { closeOnSignal, runProcess } from '@parlance/runtime';
import { ApiClient } from './api-client.js';
import { isUsageError, parseCommandLine, USAGE, type CommandLine } from './command-line.js';
import { firstKey } from './first-account.js';
import { openLogFile, standaloneConfig } from './standalone-config.js';
import { manifests } from './manifests.js';
import { progressView } from './progress-view.js';
import { sampleRecordings } from './sample-recordings.js';
import { transcribeRecordings, type Outcome, type Recording } from './transcribe-recordings.js';

const print = (text: string) => process.stdout.write(`${text}\n`);

async function main(): Promise<void> {
  const commandLine = parseCommandLine(process.argv.slice(2));
  if (commandLine.help) return void print(USAGE);

  const config = readConfig(standaloneConfig, { env: process.env, readFile: (path) => readFileSync(path, 'utf8') });
  const dataFolder = resolve(config.PARLANCE_DATA);
  mkdirSync(dataFolder, { recursive: true, mode: 0o700 });
  const log: Logger = createLogger({ level: config.LOG_LEVEL, destination: openLogFile(config.LOG_FILE, dataFolder) });

  const running = await runProcess(manifests, { env: process.env, log });
  closeOnSignal(running);
  const url = running.url ?? '';
  const key = await firstKey(running, dataFolder, config.BOOTSTRAP_API_KEY);
  print(`Parlance is ready at ${url} (API description: ${url}/docs).`);
  if (key.isNew) print(`Your API key, shown this once: ${key.apiKey}`);

  const outcomes = await transcribe(commandLine, new ApiClient(url, key.apiKey));
  for (const outcome of outcomes) print(describe(outcome));
  if (commandLine.once) {
    process.exitCode = outcomes.every(({ transcript }) => transcript !== undefined) ? 0 : 1;
    await running.close();
    return;
  }
  print(whatToTry(url, relative(process.cwd(), dataFolder) || '.'));
}

async function transcribe({ recordings, noSample }: CommandLine, api: ApiClient): Promise<Outcome[]> {
  const work = await recordingsToDo(recordings, noSample);
  if (work.length === 0) return [];
  print(`Transcribing ${work.length} recording${work.length === 1 ? '' : 's'}…`);
  const view = progressView(process.stderr);
  try {
    return await transcribeRecordings(api, work, view);
  } finally {
    view.end();
  }
}

async function recordingsToDo(given: string[], noSample: boolean): Promise<Recording[]> {
  if (given.length > 0) return given.map((source) => ({ source, reuse: false }));
  return noSample ? [] : (await sampleRecordings()).map((source) => ({ source, reuse: true }));
}

function describe({ name, jobId, transcript, error }: Outcome): string {
  const heading = jobId ? `── ${name} (${jobId})` : `── ${name}`;
  return `\n${heading}\n${transcript === undefined ? `failed: ${error}` : transcript.trimEnd() || '(no speech found)'}`;
}

function whatToTry(url: string, dataFolder: string): string {
  const auth = `-H "Authorization: Bearer $(cat ${dataFolder}/api-key)"`;
  return `
Serving at ${url}; your key is in ${dataFolder}/api-key. Try:
  curl ${auth} -F file=@recording.mp3 ${url}/api/v1/transcriptions
  curl ${auth} ${url}/api/v1/transcriptions
  curl ${auth} '${url}/api/v1/transcriptions/JOB_ID/transcript?format=srt'
Ctrl-C stops; the next start finds everything again.`;
}

try {
  await main();
} catch (error) {
  const expected = error instanceof ConfigError || isUsageError(error);
  process.stderr.write(`${expected ? error.message : error instanceof Error ? error.stack : String(error)}\n`);
  process.exit(1);
}
