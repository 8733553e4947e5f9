import { readFileSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { basename, join, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { ConfigError, createLogger, readConfig, type Logger } from '@parlance/platform';
import type { RunningProcess } from '@parlance/runtime/process';
import { ApiClient } from './api-client.js';
import { removeAbandonedCopies } from './backup/staging-folder.js';
import { isUsageError, parseCommandLine, shellWord, USAGE, usageMessage, type CommandLine } from './command-line.js';
import { makeDataFolder } from './data-folder.js';
import type { FirstKey } from './first-account.js';
import { keyProviderOf } from './master-keys.js';
import { liveProblemOf } from './recording-source.js';
import { secretsKeyOf } from './secrets-key.js';
import { openLogFile, standaloneConfig } from './standalone-config.js';
import { reasonOf, transcribeRecordings, type Outcome, type Recording } from './transcribe-recordings.js';

const print = (text: string) => process.stdout.write(`${text}\n`);

/** Output without a reader, as after `npm start | head -1`, is dropped: the services and the recordings continue. */
function ignoreMissingReaders(): void {
  for (const stream of [process.stdout, process.stderr]) {
    stream.on('error', (error: NodeJS.ErrnoException) => {
      if (error.code !== 'EPIPE') throw error;
    });
  }
}

const NO_RECORDINGS_BY_HTTPS = 'HTTPS_CERT_FILE: recordings of the command line are transcribed without it only; send them through the API instead';

async function main(): Promise<void> {
  const commandLine = parseCommandLine(process.argv.slice(2));
  if (commandLine.help) return void print(USAGE);

  await requirePlayable(commandLine);
  const config = readConfig(standaloneConfig, { env: process.env, readFile: (path) => readFileSync(path, 'utf8') });
  const dataFolder = resolve(config.PARLANCE_DATA);
  makeDataFolder(dataFolder);
  const log: Logger = createLogger({ level: config.LOG_LEVEL, destination: openLogFile(config.LOG_FILE, dataFolder) });

  await removeAbandonedCopies({ dataFolder, mediaUrl: process.env.MEDIA_URL, log });

  const isHttps = (process.env.HTTPS_CERT_FILE ?? '') !== '';
  if (isHttps && (commandLine.recordings.length > 0 || commandLine.once || commandLine.live !== undefined)) throw new ConfigError([NO_RECORDINGS_BY_HTTPS]);

  // The services take a second to load: help and errors of settings are printed before that.
  const [{ closeOnSignal, runProcess }, { manifests }, { firstKey }] = await Promise.all([import('@parlance/runtime/process'), import('./manifests.js'), import('./first-account.js')]);
  const { promise: keyReady, resolve: keepKey } = Promise.withResolvers<FirstKey>();
  // Before the process reports ready: a script that waits for readiness reads the key file next.
  const prepare = async (started: RunningProcess) => keepKey(await firstKey(started, dataFolder, { bootstrapKey: config.BOOTSTRAP_API_KEY, log }));
  const env = { ...process.env, ...(await secretsKeyOf(process.env, dataFolder)), ...keyProviderOf(process.env, dataFolder) };
  const running = await runProcess(manifests, { env, log, prepare, createMasterKey: true });
  closeOnSignal(running, () => process.stderr.write('\nStopping… (Ctrl-C again to stop at once)\n'));
  const url = running.url ?? '';
  const key = await keyReady;
  print(`Parlance is ready at ${url} (API description: ${url}/docs).`);
  const keyFile = join(relative(process.cwd(), dataFolder), 'api-key');
  if (key.accountId !== undefined) print(`${keyFile} no longer exists: this is a new key of your account ${key.accountId}, whose other keys stay valid.`);
  if (key.isNew) print(`Your API key, which is shown only once: ${key.apiKey}`);

  // The certificate is for the server's public name, and this process would call itself by another.
  if (isHttps) return void print(whatToTry(url, keyFile));

  const api = new ApiClient(url, key.apiKey);
  if (!(await api.isKnown())) print(keyNotKnown(keyFile));

  if (commandLine.live !== undefined) {
    process.exitCode = (await playLive(commandLine.live, api)) ? 0 : 1;
    await running.close();
    return;
  }
  const outcomes = await transcribe(commandLine, api);
  for (const outcome of outcomes) print(describe(outcome));
  if (commandLine.once) {
    process.exitCode = outcomes.every(({ transcript }) => transcript !== undefined) ? 0 : 1;
    await running.close();
    return;
  }
  print(whatToTry(url, keyFile));
}

/** @throws ConfigError when the argument of `--live` cannot be played */
async function requirePlayable({ live, recordings }: CommandLine): Promise<void> {
  if (live === undefined) return;
  if (recordings.length > 0) throw new ConfigError(['--live plays one file, and nothing else is transcribed with it']);
  const problem = await liveProblemOf(live);
  if (problem !== undefined) throw new ConfigError([problem]);
}

/** @returns whether a transcript came back */
async function playLive(path: string, api: ApiClient): Promise<boolean> {
  const name = basename(path);
  print(`Playing ${name} into a live session…`);
  const { playRecording } = await import('./live/play-recording.js');
  try {
    const { jobId, transcript } = await playRecording(api, path, process.stdout);
    print(`${describe({ name, jobId, transcript })}\n\nThe session is a job now: GET /api/v1/transcriptions/${jobId}/transcript`);
    return true;
  } catch (error) {
    print(describe({ name, error: reasonOf(error, path) }));
    return false;
  }
}

async function transcribe({ recordings, noSample }: CommandLine, api: ApiClient): Promise<Outcome[]> {
  const work = await recordingsToDo(recordings, noSample);
  if (work.length === 0) return [];
  print(`Transcribing ${work.length} recording${work.length === 1 ? '' : 's'}…`);
  // Takes a thirtieth of a start to load, and most starts show no progress.
  const { progressView } = await import('./progress-view.js');
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

const SAMPLES = fileURLToPath(new URL('../../../samples/', import.meta.url));
const MEDIA = /\.(mp3|wav|flac|ogg|m4a|mp4|mov|avi|webm|mkv)$/;

/** The recordings that lie in the repository. */
async function sampleRecordings(): Promise<string[]> {
  const names = await readdir(SAMPLES);
  return names.filter((name) => MEDIA.test(name)).toSorted().map((name) => join(SAMPLES, name));
}

function describe({ name, jobId, transcript, error }: Outcome): string {
  const heading = jobId ? `── ${name} (${jobId})` : `── ${name}`;
  return `\n${heading}\n${transcript === undefined ? `failed: ${error}` : transcript.trimEnd() || '(no speech found)'}`;
}

/** It was revoked, rotated or has expired: no later start can know which one came in its place. */
const keyNotKnown = (keyFile: string): string => `
The key in ${keyFile} is not valid any more. Put the one that you use there, or a new one:
  npm run admin -- accounts list
  npm run admin -- keys create ACCOUNT_ID`;

function whatToTry(url: string, keyFile: string): string {
  const auth = `-H "Authorization: Bearer $(cat ${shellWord(keyFile)})"`;
  return `
Serving at ${url}; your key is in ${keyFile}. Try:
  curl ${auth} -F file=@recording.mp3 ${url}/api/v1/transcriptions
  curl ${auth} ${url}/api/v1/transcriptions
  curl ${auth} '${url}/api/v1/transcriptions/JOB_ID/transcript?format=srt'
Ctrl-C stops; the next start finds everything again.`;
}

/** A line for an error that the user can correct, the stack for a defect. */
function messageOf(error: unknown): string {
  if (isUsageError(error)) return usageMessage(error);
  if (error instanceof ConfigError) return error.message;
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}

/** `npm start` holds a channel open to this process, and only it: when that process is killed, its end closes the channel and stops this one. */
function endWithStarter(): void {
  process.on('disconnect', () => process.kill(process.pid, 'SIGTERM'));
  process.channel?.unref();
}

try {
  endWithStarter();
  ignoreMissingReaders();
  await main();
} catch (error) {
  process.stderr.write(`${messageOf(error)}\n`);
  process.exit(1);
}
