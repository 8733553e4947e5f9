import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { mkdir, stat } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { ApiError, JobFailedError, type ExportFormat, type Parlance } from '@parlance/client';
import type { Context } from '../context.js';
import { EXIT, exitCodeOf, type ExitCode } from '../exit-codes.js';
import { CommandError, failureOf, Interruption } from '../failures.js';
import { fileInput } from '../transcribe/inputs.js';
import type { JobSettings } from '../transcribe/job-settings.js';
import { progressView, type ProgressLine, type ProgressView } from '../transcribe/progress-view.js';
import { exported, finished, submit } from '../transcribe/transcribe-input.js';
import { writeWhole } from '../transcribe/write-file.js';
import { lockState } from './folder-lock.js';
import { scan, SettledFiles, type FoundFile } from './folder-scan.js';
import { idempotencyKeyOf, WatchState, type WatchedRecording } from './watch-state.js';

export interface WatchOptions {
  jobs: number;
  /** Ends when everything that is in the folder is done. */
  once?: boolean;
  retryFailed?: boolean;
  /** Seconds. */
  settle: number;
  state?: string;
}

interface Watch extends WatchOptions {
  folder: string;
  output: string;
  formats: readonly ExportFormat[];
  settings: JobSettings;
  client: Parlance;
  context: Context;
}

/** Also finds files on network drives, of which the system reports no changes. */
const SCAN_MS = 1000;
/** Pauses before a file is tried again whose server was away, or that a limit refused. */
const RETRY_MS = 15_000;
const LIMIT_RETRY_MS = 60_000;

/** Transcribes each content that a folder has, once, until it is interrupted. */
export async function watch(options: Watch): Promise<ExitCode> {
  await requireFolder(options.folder);
  const file = options.state ?? join(options.folder, '.parlance-watch.json');
  await mkdir(dirname(file), { recursive: true });
  const unlock = await lockState(file);
  try {
    return await new FolderWatcher(options, await WatchState.open(file)).run();
  } finally {
    unlock();
  }
}

async function requireFolder(folder: string): Promise<void> {
  const isFolder = await stat(folder).then((found) => found.isDirectory(), () => false);
  if (!isFolder) throw new CommandError(`There is no folder ${folder} to watch.`);
}

class FolderWatcher {
  readonly #settled: SettledFiles;
  readonly #view: ProgressView;
  /** The contents that are being worked on. */
  readonly #active = new Map<string, Promise<void>>();
  /** The contents that are not tried before a time. */
  readonly #resting = new Map<string, number>();
  readonly #results: ExitCode[] = [];
  readonly #noted = new Set<string>();
  readonly #retried = new Set<string>();
  #fatal: unknown;

  constructor(
    private readonly options: Watch,
    private readonly state: WatchState,
  ) {
    this.#settled = new SettledFiles(options.settle * 1000);
    this.#view = progressView(options.context);
  }

  async run(): Promise<ExitCode> {
    const { context, folder, once } = this.options;
    context.terminal.note(`Watching ${folder}. Ctrl-C ends it.`);
    try {
      while (!context.signal.aborted && this.#fatal === undefined) {
        const isIdle = await this.#look();
        if (once && isIdle && this.#active.size === 0) break;
        await sleep(SCAN_MS, undefined, { signal: context.signal }).catch(() => undefined);
      }
      await Promise.all(this.#active.values());
    } finally {
      this.#view.end();
    }
    if (this.#fatal !== undefined) throw this.#fatal;
    if (context.signal.aborted) throw new Interruption(['Interrupted. The server continues with what it has; the same command takes it up again.']);
    return exitCodeOf(this.#results);
  }

  /** @returns true when no file waits for anything */
  async #look(): Promise<boolean> {
    const { folder, output, jobs } = this.options;
    const files = await scan(folder, output);
    const paths = new Set(files.map(({ path }) => path));
    this.#settled.keepOnly(paths);
    this.state.forgetFilesBut(paths);
    let isIdle = true;
    for (const file of files) {
      if (this.#active.size >= jobs) return false;
      if (!this.#settled.isWhole(file, performance.now())) isIdle &&= file.size === 0;
      else if (await this.#begin(file)) isIdle = false;
    }
    return isIdle;
  }

  /** @returns true when there is something to do with the file */
  async #begin(file: FoundFile): Promise<boolean> {
    const sha256 = await this.#hash(file);
    if (sha256 === undefined) return true;
    const known = this.state.recording(sha256);
    if (this.#active.has(sha256)) return true;
    if (known?.status === 'done' || (known?.status === 'failed' && !this.#isRetried(sha256))) return this.#skip(file, known);
    if ((this.#resting.get(sha256) ?? 0) > performance.now()) return !this.options.once;
    const work = this.#transcribe(sha256, file).finally(() => this.#active.delete(sha256));
    this.#active.set(sha256, work);
    return true;
  }

  /** Once in each run of the command. */
  #isRetried(sha256: string): boolean {
    return this.options.retryFailed === true && !this.#retried.has(sha256);
  }

  #skip({ path }: FoundFile, known: WatchedRecording): false {
    if (this.#noted.has(path)) return false;
    this.#noted.add(path);
    if (known.status === 'failed') this.#note(`${path}: failed before: ${known.error} --retry-failed tries it again.`);
    else if (known.path !== path) this.#note(`${path}: has the content of ${known.path}, which is transcribed.`);
    return false;
  }

  async #hash(file: FoundFile): Promise<string | undefined> {
    const known = this.state.hashOf(file.path, file);
    if (known !== undefined) return known;
    const hash = createHash('sha256');
    try {
      for await (const piece of createReadStream(join(this.options.folder, file.path), { signal: this.options.context.signal })) hash.update(piece as Buffer);
    } catch {
      // Removed, or not readable yet: the next scan says.
      return undefined;
    }
    const sha256 = hash.digest('hex');
    await this.state.remember(file.path, file, sha256);
    return sha256;
  }

  async #transcribe(sha256: string, file: FoundFile): Promise<void> {
    const { client, context, output, formats } = this.options;
    const progress = this.#view.add(file.path);
    this.#noted.add(file.path);
    try {
      const jobId = await this.#jobOf(sha256, file, progress);
      await finished(jobId, { client, signal: context.signal, progress, maxRetries: context.maxRetries });
      const recording = this.#recording(sha256);
      const pathOf = (format: ExportFormat) => join(output, `${recording.stem}.${format}`);
      for (const { format, content } of await exported(client, jobId, formats, context.signal)) await writeWhole(pathOf(format), content);
      await this.state.put(sha256, { ...recording, status: 'done' });
      this.#results.push(EXIT.ok);
      progress.end();
      this.#report(jobId, file, formats.map(pathOf));
    } catch (error) {
      progress.end();
      await this.#fail(sha256, file, error).catch((fatal: unknown) => (this.#fatal ??= fatal));
    }
  }

  /** The job that an earlier process created, or a new one. */
  async #jobOf(sha256: string, file: FoundFile, progress: ProgressLine): Promise<string> {
    const { client, context, folder, settings } = this.options;
    const known = this.state.recording(sha256);
    if (known?.status === 'waiting' && known.job_id) return known.job_id;
    if (known?.status === 'failed') this.#retried.add(sha256);
    // An attempt that was cut off is repeated under its own key.
    if (known?.status !== 'submitting') await this.state.begin(sha256, file.path);
    const { attempt, path } = this.#recording(sha256);
    const idempotencyKey = idempotencyKeyOf(sha256, attempt, settings);
    // A repeated request is the same only under the same name, though the file was renamed since.
    const { job_id: jobId } = await submit(fileInput(join(folder, file.path), basename(path)), { client, settings, signal: context.signal, progress, idempotencyKey, maxRetries: context.maxRetries });
    await this.state.put(sha256, { ...this.#recording(sha256), status: 'waiting', job_id: jobId });
    return jobId;
  }

  async #fail(sha256: string, file: FoundFile, error: unknown): Promise<void> {
    const { context } = this.options;
    if (context.signal.aborted) return;
    const known = this.state.recording(sha256);
    // The job was deleted on the server: its file is a new one.
    if (known?.job_id && error instanceof ApiError && error.status === 404) return this.state.begin(sha256, file.path);
    const { message, exitCode } = failureOf(error, (await context.connection()).baseUrl);
    if (exitCode === EXIT.auth) throw error;
    // A quota that is used up says nothing about the file.
    const isLimited = exitCode === EXIT.limited;
    const isRefused = error instanceof JobFailedError || (error instanceof ApiError && !error.retryable && !isLimited);
    if (isRefused && known) {
      await this.state.put(sha256, { ...known, status: 'failed', error: message });
      this.#results.push(exitCode);
      this.#view.above(() => {
        context.terminal.failure(`${file.path}: ${message}`);
        if (context.terminal.isJson) context.terminal.printJson({ file: file.path, job_id: known.job_id, status: 'failed', error: message });
      });
      return;
    }
    this.#resting.set(sha256, this.options.once ? Infinity : performance.now() + (isLimited ? LIMIT_RETRY_MS : RETRY_MS));
    if (this.options.once) this.#results.push(exitCode);
    this.#view.above(() => context.terminal.failure(`${file.path}: ${message} It is tried again${this.options.once ? ' at the next start' : ''}.`));
  }

  #note(line: string): void {
    this.#view.above(() => this.options.context.terminal.note(line));
  }

  #report(jobId: string, { path }: FoundFile, outputs: readonly string[]): void {
    const { terminal } = this.options.context;
    if (!terminal.isJson) return this.#note(`${path} → ${outputs.join(', ')}`);
    this.#view.above(() => terminal.printJson({ file: path, job_id: jobId, status: 'done', outputs }));
  }

  #recording(sha256: string): WatchedRecording {
    const recording = this.state.recording(sha256);
    if (!recording) throw new Error(`The state has no recording ${sha256}.`);
    return recording;
  }
}
