import { open, rm, stat } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Egress } from '@parlance/egress';
import { diskFault, modelFault } from './model-fault.js';
import { sha256Of } from './model-record.js';

const MAX_REDIRECTS = 5;
const HEADERS_TIMEOUT_MS = 30_000;
const BODY_TIMEOUT_MS = 60_000;

export interface DownloadOptions {
  url: string;
  /** The target file; existing bytes are the beginning of an earlier attempt. */
  path: string;
  bytes: number;
  sha256: string;
  egress: Pick<Egress, 'request'>;
  onProgress?: (bytes: number) => void;
  /** Tries in a row that bring nothing before it is given up; default 5. */
  maxFruitlessTries?: number;
  /** Between tries; default a second, doubled with each fruitless one. */
  retryDelayMs?: number;
}

/**
 * Downloads a file of known length and checksum. An interrupted download is resumed where it ended (RFC 9110, section 14), in
 * this run or a later one; from a server without ranges, all of it is requested again.
 * @throws AppError model_unavailable in one line: refused, given up, wrong checksum, no space. Received bytes are kept for the
 * next attempt, unless the checksum is wrong.
 */
export async function download(options: DownloadOptions): Promise<void> {
  const { path, bytes, sha256 } = options;
  const begunWith = await sizeOf(path);
  await fetchAll(options);
  if ((await sha256Of(path)) === sha256) return;
  await rm(path, { force: true });
  if (begunWith > 0) {
    // The beginning was of something else, perhaps of an older release.
    await fetchAll(options);
    if ((await sha256Of(path)) === sha256) return;
    await rm(path, { force: true });
  }
  throw modelFault(`The file from ${hostOf(options.url)} has the wrong checksum (${bytes} bytes, sha256 ${sha256}); it was discarded.`);
}

async function fetchAll(options: DownloadOptions): Promise<void> {
  const { path, bytes, maxFruitlessTries = 5, retryDelayMs = 1000 } = options;
  let fruitless = 0;
  for (let size = await sizeOf(path); size !== bytes; ) {
    let cause: unknown;
    try {
      await fetchRest(options, size > bytes ? 0 : size);
    } catch (error) {
      if (error instanceof Refused) throw modelFault(error.message);
      const onDisk = diskFault(error, path);
      if (onDisk !== error) throw onDisk;
      cause = error;
    }
    const before = size;
    size = await sizeOf(path);
    if (size === bytes) return;
    fruitless = size > before ? 0 : fruitless + 1;
    if (fruitless >= maxFruitlessTries) throw modelFault(`${hostOf(options.url)} did not send the whole file (${size} of ${bytes} bytes so far)${because(cause)}.`, cause);
    await sleep(retryDelayMs * 2 ** fruitless);
  }
}

/** Another try would fare no better. */
class Refused extends Error {}

async function fetchRest({ url, path, bytes, egress, onProgress }: DownloadOptions, have: number): Promise<void> {
  const { statusCode, headers, body } = await follow(egress, url, have);
  const resumed = statusCode === 206 && new RegExp(`^bytes ${have}-`).test(String(headers['content-range']));
  if (statusCode !== 200 && !resumed) {
    await body.dump();
    // 416: what is there is longer than the file, or the file is not what it was.
    if (statusCode === 416 || statusCode === 206) return rm(path, { force: true });
    const message = `${hostOf(url)} answered with status ${statusCode}`;
    if (statusCode >= 400 && statusCode < 500 && statusCode !== 408 && statusCode !== 429) throw new Refused(`${message}: ${url}`);
    throw new Error(message);
  }
  const file = await open(path, resumed ? 'a' : 'w');
  let at = resumed ? have : 0;
  try {
    for await (const block of body as AsyncIterable<Uint8Array>) {
      at += block.byteLength;
      if (at > bytes) throw new Refused(`${hostOf(url)} sent more than the ${bytes} bytes that the file should have`);
      // `write` may write less on a disk that is nearly full.
      await file.appendFile(block);
      onProgress?.(at);
    }
  } finally {
    await file.close();
    if (at > bytes) await rm(path, { force: true });
  }
}

/** GitHub redirects to its store. A redirect from https to http is never followed. */
async function follow(egress: Pick<Egress, 'request'>, url: string, have: number) {
  let at = new URL(url);
  for (let hop = 0; hop <= MAX_REDIRECTS; hop += 1) {
    const answer = await egress.request(at, {
      method: 'GET',
      headers: { 'accept-encoding': 'identity', 'user-agent': 'parlance', ...(have > 0 && { range: `bytes=${have}-` }) },
      headersTimeoutMs: HEADERS_TIMEOUT_MS,
      bodyTimeoutMs: BODY_TIMEOUT_MS,
    });
    const location = answer.headers['location'];
    if (answer.statusCode < 300 || answer.statusCode > 399 || typeof location !== 'string') return answer;
    await answer.body.dump();
    const next = new URL(location, at);
    if (at.protocol === 'https:' && next.protocol !== 'https:') throw new Refused(`${at.host} redirects to an address without TLS`);
    at = next;
  }
  throw new Refused(`${hostOf(url)} redirects too often`);
}

const sizeOf = (path: string): Promise<number> => stat(path).then(({ size }) => size, () => 0);
const hostOf = (url: string): string => new URL(url).host;
const because = (cause: unknown): string => (cause instanceof Error ? `: ${cause.message}` : '');
