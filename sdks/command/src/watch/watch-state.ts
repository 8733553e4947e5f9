import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { CommandError } from '../failures.js';
import { safeName, stemOf } from '../transcribe/output-names.js';
import { writeWhole } from '../transcribe/write-file.js';

const VERSION = 1;

/** A recording by its content. */
export interface WatchedRecording {
  /** The path below the folder under which it was first found. */
  path: string;
  status: 'submitting' | 'waiting' | 'done' | 'failed';
  /** Counts from 1; a retry of a file that failed is a new attempt. */
  attempt: number;
  job_id?: string;
  /** The name of its transcripts, without the extension of a format, below the output folder. */
  stem: string;
  error?: string;
}

/** The content of a file as it was when it was hashed, so that a restart reads no file again. */
interface KnownFile {
  size: number;
  mtime_ms: number;
  sha256: string;
}

interface StoredState {
  version: number;
  recordings: Record<string, WatchedRecording>;
  files: Record<string, KnownFile>;
}

/** Remembers, across crashes, what was done with each content that a folder had. */
export class WatchState {
  #writing: Promise<void> = Promise.resolve();

  private constructor(
    private readonly file: string,
    private readonly state: StoredState,
  ) {}

  /** @throws CommandError when the file is not one of this command */
  static async open(file: string): Promise<WatchState> {
    const text = await readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT') return undefined;
      throw error;
    });
    if (text === undefined) return new WatchState(file, { version: VERSION, recordings: {}, files: {} });
    return new WatchState(file, parsed(text, file));
  }

  recording(sha256: string): WatchedRecording | undefined {
    return this.state.recordings[sha256];
  }

  /** The hash of a file that has not changed since. */
  hashOf(path: string, { size, mtimeMs }: { size: number; mtimeMs: number }): string | undefined {
    const known = this.state.files[path];
    return known?.size === size && known.mtime_ms === mtimeMs ? known.sha256 : undefined;
  }

  remember(path: string, { size, mtimeMs }: { size: number; mtimeMs: number }, sha256: string): Promise<void> {
    this.state.files[path] = { size, mtime_ms: mtimeMs, sha256 };
    return this.#save();
  }

  /** Stores the new state of a recording. It is on the disk when this resolves. */
  put(sha256: string, recording: WatchedRecording): Promise<void> {
    this.state.recordings[sha256] = recording;
    return this.#save();
  }

  /** Begins with a content at a path; a new content of the same path takes over the name of its transcripts. */
  begin(sha256: string, path: string): Promise<void> {
    const attempt = (this.recording(sha256)?.attempt ?? 0) + 1;
    return this.put(sha256, { path, status: 'submitting', attempt, stem: this.#freeStem(sha256, path) });
  }

  /** Forgets files that are no longer there; what was done with their contents stays. */
  forgetFilesBut(paths: ReadonlySet<string>): void {
    for (const path of Object.keys(this.state.files)) if (!paths.has(path)) delete this.state.files[path];
  }

  #freeStem(sha256: string, path: string): string {
    const parts = path.split('/').map(safeName);
    const name = parts.pop() ?? '';
    const taken = new Set(Object.entries(this.state.recordings).flatMap(([other, { stem, path: otherPath }]) => (other === sha256 || otherPath === path ? [] : [stem.toLowerCase()])));
    const names = [stemOf(name), name, `${name}-${sha256.slice(0, 8)}`].map((each) => [...parts, each].join('/'));
    return names.find((each) => !taken.has(each.toLowerCase())) ?? [...parts, sha256].join('/');
  }

  /** One write at a time; each has everything that was put before it began. */
  #save(): Promise<void> {
    this.#writing = this.#writing.catch(() => undefined).then(() => writeWhole(this.file, `${JSON.stringify(this.state, undefined, 1)}\n`));
    return this.#writing;
  }
}

/**
 * The Idempotency-Key of an attempt: a process that is killed between the request and the note of its answer gets the same job when
 * it repeats the request.
 */
export function idempotencyKeyOf(sha256: string, attempt: number, settings: unknown): string {
  return `watch-${createHash('sha256').update(JSON.stringify([sha256, attempt, settings])).digest('hex').slice(0, 40)}`;
}

function parsed(text: string, file: string): StoredState {
  try {
    const state = JSON.parse(text) as StoredState;
    if (state.version === VERSION) return state;
  } catch {
    // Said below.
  }
  throw new CommandError(`${file} is not a state file of this version of parlance. Remove it to transcribe everything in the folder again, or name another with --state.`);
}
