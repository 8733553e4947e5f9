import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);

/** A temporary folder of media made by ffmpeg. */
export class MediaFiles implements AsyncDisposable {
  private constructor(readonly folder: string) {}

  static async create(): Promise<MediaFiles> {
    return new MediaFiles(await mkdtemp(join(tmpdir(), 'parlance-media-')));
  }

  path(name: string): string {
    return join(this.folder, name);
  }

  /** @param args ffmpeg's inputs and output options; the output's format follows from the name. @returns the path. */
  async make(name: string, ...args: string[]): Promise<string> {
    await run('ffmpeg', ['-nostdin', '-hide_banner', '-loglevel', 'error', '-y', ...args, this.path(name)]);
    return this.path(name);
  }

  /** Makes several files with one start of ffmpeg. @param outputs the name of each and its options */
  async makeAll(inputs: readonly string[], outputs: readonly (readonly [name: string, ...options: string[]])[]): Promise<void> {
    await run('ffmpeg', ['-nostdin', '-hide_banner', '-loglevel', 'error', '-y', ...inputs, ...outputs.flatMap(([name, ...options]) => [...options, this.path(name)])]);
  }

  async write(name: string, content: string | Uint8Array): Promise<string> {
    await writeFile(this.path(name), content);
    return this.path(name);
  }

  /** The first part of a file, 0 to 1 of its bytes. */
  async cutOff(path: string, name: string, part: number): Promise<string> {
    const whole = await readFile(path);
    return this.write(name, whole.subarray(0, Math.floor(whole.length * part)));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await rm(this.folder, { recursive: true, force: true });
  }
}

const generated = (graph: string): string[] => ['-f', 'lavfi', '-i', graph];

/** ffmpeg's input: a tone of so many seconds. */
export const tone = (seconds: number): string[] => generated(`sine=frequency=440:duration=${seconds}:sample_rate=44100`);
/** ffmpeg's input: white noise, the same each time. */
export const noise = (seconds: number): string[] => generated(`anoisesrc=duration=${seconds}:sample_rate=16000:amplitude=0.3:color=white:seed=1`);
/** ffmpeg's input: moving pictures. */
export const pictures = (seconds: number): string[] => generated(`testsrc=duration=${seconds}:size=64x48:rate=10`);
/** ffmpeg's input: digital silence. */
export const silence = (seconds: number): string[] => generated(`anullsrc=sample_rate=16000:channel_layout=mono:duration=${seconds}`);
