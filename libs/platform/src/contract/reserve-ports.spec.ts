import { once } from 'node:events';
import { readFile, rm, utimes, writeFile } from 'node:fs/promises';
import { createServer, type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, it, jest } from '@jest/globals';
import { reservePort, reservePorts } from './reserve-ports.js';

const lockOf = (port: number) => join(tmpdir(), 'parlance-ports', String(port));
/** Ports that Math.random chooses one after the other; the last stays. */
const choose = (...ports: number[]) => {
  const random = jest.spyOn(Math, 'random');
  for (const port of ports) random.mockReturnValueOnce((port - 20_000 + 0.5) / (27_000 - 20_000 - 1));
};
/** The id of no process: Linux and macOS give smaller ones. */
const NO_PROCESS = 2 ** 30;

describe('reserved ports', () => {
  afterEach(() => void jest.restoreAllMocks());

  it('are consecutive, below those of outgoing connections, and locked by this process', async () => {
    const first = await reservePorts(5);
    expect([first >= 20_000, first + 5 <= 27_000]).toEqual([true, true]);
    for (let port = first; port < first + 5; port += 1) expect(await readFile(lockOf(port), 'utf8')).toBe(String(process.pid));
  });

  it('are not given again, and none on which a server listens', async () => {
    const taken = await reservePort();
    await rm(lockOf(taken));
    const server = createServer().listen(taken, '127.0.0.1');
    await once(server, 'listening');
    expect((server.address() as AddressInfo).port).toBe(taken);
    const [mine, free] = [await reservePort(), await reservePort()];
    await rm(lockOf(free));
    choose(mine, taken, free);
    expect(await reservePort()).toBe(free);
    await expect(readFile(lockOf(taken))).rejects.toMatchObject({ code: 'ENOENT' });
    await once(server.close(), 'close');
  });

  it('are given again some time after their process has ended', async () => {
    const [left, fresh, free] = [await reservePort(), await reservePort(), await reservePort()];
    for (const port of [left, fresh]) await writeFile(lockOf(port), String(NO_PROCESS));
    await utimes(lockOf(left), 0, 0);
    await rm(lockOf(free));
    choose(fresh, left, free);
    expect(await reservePort()).toBe(free);
    await rm(lockOf(free));
    choose(fresh, left, free);
    expect(await reservePort()).toBe(left);
    await rm(lockOf(fresh));
  });
});
