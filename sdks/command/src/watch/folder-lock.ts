import { createHash } from 'node:crypto';
import { realpath, rm } from 'node:fs/promises';
import { connect, createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { CommandError } from '../failures.js';

/**
 * Holds the state file for this process until the result is called. The lock is a listening socket, which the system closes when the
 * process ends, also by `kill -9`.
 * @throws CommandError when another process of this machine has it
 */
export async function lockState(file: string): Promise<() => void> {
  const address = await lockAddress(file);
  const server = (await listen(address, file)) ?? (await takeOver(address, file));
  if (!server) throw new CommandError(`Another process watches with ${file}. End that one first, or name another state file with --state.`);
  server.unref();
  return () => void server.close();
}

/** The socket of a state file, by its real path. */
export async function lockAddress(file: string): Promise<string> {
  const path = join(await realpath(dirname(file)), basename(file));
  const name = `parlance-watch-${createHash('sha256').update(`${process.getuid?.()} ${path}`).digest('hex').slice(0, 16)}`;
  return process.platform === 'win32' ? `\\\\.\\pipe\\${name}` : join(tmpdir(), `${name}.sock`);
}

/** The lock of a process that was killed: nothing listens at its socket. */
async function takeOver(address: string, file: string): Promise<Server | undefined> {
  if (await isListening(address)) return undefined;
  await rm(address, { force: true });
  return listen(address, file);
}

/** Undefined where the address is in use. */
function listen(address: string, file: string): Promise<Server | undefined> {
  return new Promise((resolve, reject) => {
    const server = createServer((socket) => socket.destroy());
    server.once('error', (error: NodeJS.ErrnoException) => {
      if (error.code === 'EADDRINUSE') resolve(undefined);
      else reject(new CommandError(`${file} cannot be locked: ${error.message}. Set TMPDIR to a folder that can be written.`));
    });
    server.listen(address, () => resolve(server));
  });
}

function isListening(address: string): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(address);
    const settle = (isOpen: boolean) => {
      socket.destroy();
      resolve(isOpen);
    };
    socket.once('connect', () => settle(true)).once('error', () => settle(false));
  });
}
