import { mkdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Below the ports that Linux and macOS give to outgoing connections by default, and those of MongoDB, which CI uses. */
const FIRST = 20_000;
const END = 27_000;
/** A lock without a process is removed no sooner: another may have been about to write it. */
const MIN_LOCK_AGE_MS = 60_000;
const LOCKS = join(tmpdir(), 'parlance-ports');

/**
 * Reserves consecutive ports for this process, until it ends: no other test takes them, also while their server is away. For tests
 * that must know a port before their server has it, or whose server comes back on it.
 * @returns the first of them
 */
export async function reservePorts(count: number): Promise<number> {
  await mkdir(LOCKS, { recursive: true });
  for (;;) {
    const first = FIRST + Math.floor(Math.random() * (END - FIRST - count));
    const ports = Array.from({ length: count }, (_, index) => first + index);
    const locked: number[] = [];
    for (const port of ports) if (await lock(port)) locked.push(port);
    if (locked.length === count && (await Promise.all(ports.map(isFree))).every(Boolean)) return first;
    await Promise.all(locked.map((port) => rm(lockOf(port), { force: true })));
  }
}

/** @returns one port, as `reservePorts` */
export const reservePort = (): Promise<number> => reservePorts(1);

/** @returns addresses on loopback, as `reservePorts` */
export async function reserveAddresses(count: number): Promise<string[]> {
  const first = await reservePorts(count);
  return Array.from({ length: count }, (_, index) => `127.0.0.1:${first + index}`);
}

const lockOf = (port: number): string => join(LOCKS, String(port));

/** @returns false when the port is another's. A lock that its process left is removed, for those who ask later. */
async function lock(port: number): Promise<boolean> {
  try {
    await writeFile(lockOf(port), String(process.pid), { flag: 'wx' });
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    if (await isLeft(lockOf(port)).catch(() => false)) await rm(lockOf(port), { force: true });
    return false;
  }
}

async function isLeft(path: string): Promise<boolean> {
  if (Date.now() - (await stat(path)).mtimeMs < MIN_LOCK_AGE_MS) return false;
  try {
    process.kill(Number(await readFile(path, 'utf8')), 0);
    return false;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'ESRCH';
  }
}

const isFree = (port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const probe = createServer();
    probe.once('error', () => resolve(false));
    probe.listen(port, () => probe.close(() => resolve(true)));
  });
