import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { resolve } from 'node:path';

/** The file at its own speed: 16-bit samples at 16 kHz, one channel. */
const playArguments = (path: string): string[] => {
  const input = ['-nostdin', '-v', 'error', '-protocol_whitelist', 'file', '-re', '-i', `file:${resolve(path)}`];
  return [...input, '-map', '0:a:0', '-ac', '1', '-ar', '16000', '-f', 's16le', '-flush_packets', '1', 'pipe:1'];
};

/** Some of what ffmpeg says, for its last line. */
const MAX_SAID = 4000;

/** Plays the first audio track of a file. @throws Error when ffmpeg is missing, or finds no audio in it */
export async function* playedAudio(path: string, signal?: AbortSignal): AsyncGenerator<Uint8Array> {
  const child = spawn('ffmpeg', playArguments(path), { stdio: ['ignore', 'pipe', 'pipe'], ...(signal && { signal }) });
  const ended = once(child, 'close') as Promise<[number | null]>;
  // It is awaited after the last bytes.
  ended.catch(() => undefined);
  let said = '';
  child.stderr.on('data', (text) => (said = `${said}${text}`.slice(-MAX_SAID)));
  let played = 0;
  try {
    for await (const bytes of child.stdout as AsyncIterable<Buffer>) {
      played += bytes.byteLength;
      yield bytes;
    }
    await ended.catch((error: NodeJS.ErrnoException) => Promise.reject(error.code === 'ENOENT' ? new Error('ffmpeg is not installed; npm start installs it.') : error));
    if (played === 0) throw new Error(`${path} has no audio that can be played${said === '' ? '.' : `: ${lastLine(said)}`}`);
  } finally {
    child.kill('SIGKILL');
  }
}

const lastLine = (text: string): string => text.trim().split('\n').at(-1) ?? '';
