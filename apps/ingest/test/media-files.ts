import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const run = promisify(execFile);

/** A recording of somebody who reads, 16 kHz mono. */
export const READING = fileURLToPath(new URL('../../../samples/reading.flac', import.meta.url));

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

  async write(name: string, content: string | Uint8Array): Promise<string> {
    await writeFile(this.path(name), content);
    return this.path(name);
  }

  async cutOff(path: string, name: string, part: number): Promise<string> {
    const whole = await readFile(path);
    return this.write(name, whole.subarray(0, Math.floor(whole.length * part)));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await rm(this.folder, { recursive: true, force: true });
  }
}

/** Options for ffmpeg: a tone of so many seconds. */
export const tone = (seconds: number): string[] => ['-f', 'lavfi', '-i', `sine=frequency=440:duration=${seconds}:sample_rate=44100`];
/** Options for ffmpeg: moving pictures of so many seconds. */
export const pictures = (seconds: number): string[] => ['-f', 'lavfi', '-i', `testsrc=duration=${seconds}:size=64x48:rate=10`];
/** Options for ffmpeg: silence of so many seconds. */
export const silence = (seconds: number): string[] => ['-f', 'lavfi', '-i', `anullsrc=sample_rate=16000:channel_layout=mono:duration=${seconds}`];
