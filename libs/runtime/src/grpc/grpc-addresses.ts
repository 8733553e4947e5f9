import { createHash } from 'node:crypto';
import { lstat, mkdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, dirname, join, resolve } from 'node:path';
import { ConfigError } from '@parlance/platform';
import { z } from 'zod';
import { SERVICE_NAMES, type ServiceName } from '../service-manifest.js';

/** `sun_path` holds 108 bytes on Linux and 104 on macOS, the terminator included. */
const MAX_SOCKET_PATH = 103;

const FALLBACK_PREFIX = 'parlance-';

const variableOf = (service: ServiceName) => `${service.toUpperCase().replaceAll('-', '_')}_GRPC_URL`;

/** Where each service is found: `INGEST_GRPC_URL` and so on, a gRPC target such as `dns:///ingest:50051`. */
export const grpcAddressConfig = Object.fromEntries(
  SERVICE_NAMES.map((service) => [
    variableOf(service),
    z.string().optional().describe(`gRPC target of ${service}; a unix socket in the data folder when empty`),
  ]),
);

/** The target of a service: as configured, or a unix socket of this data folder. */
export function grpcTarget(service: ServiceName, config: Record<string, unknown>, dataFolder: string): string {
  const configured = config[variableOf(service)];
  return typeof configured === 'string' ? configured : `unix:${join(socketFolder(dataFolder), `${service}.sock`)}`;
}

/** Where the gRPC server of a service of this process listens: its unix socket, or where others have an address of it, GRPC_LISTEN. */
export function grpcListenAddress(service: ServiceName, config: Record<string, unknown>, dataFolder: string): string {
  const target = grpcTarget(service, config, dataFolder);
  if (target.startsWith('unix:')) return target;
  const { GRPC_LISTEN: listen } = config;
  return typeof listen === 'string' ? listen : '0.0.0.0:50051';
}

/** In the data folder; where that path is too long for a socket, in the system's folder for temporary files. */
export function socketFolder(dataFolder: string): string {
  const folder = resolve(dataFolder, 'run');
  const longest = Math.max(...SERVICE_NAMES.map((service) => join(folder, `${service}.sock`).length));
  if (longest <= MAX_SOCKET_PATH) return folder;
  const digest = createHash('sha256').update(folder).digest('hex').slice(0, 16);
  return join(tmpdir(), `${FALLBACK_PREFIX}${digest}`);
}

/**
 * Makes the folder for the owner alone and removes the socket that a killed process left.
 * @throws ConfigError when the folder lies where others may make one of its name, and somebody has
 */
export async function prepareSocket(target: string): Promise<void> {
  if (!target.startsWith('unix:')) return;
  const path = target.slice('unix:'.length);
  const folder = dirname(path);
  await mkdir(folder, { recursive: true, mode: 0o700 }).catch((error: unknown) => {
    // A file, or a link to nowhere: what it is instead is said below.
    if (!isFallback(folder)) throw error;
  });
  if (isFallback(folder)) await checkOwn(folder);
  await rm(path, { force: true });
}

const isFallback = (folder: string): boolean => dirname(folder) === tmpdir() && basename(folder).startsWith(FALLBACK_PREFIX);

/** Whoever owns the folder of the sockets hears and says what services tell each other. */
async function checkOwn(folder: string): Promise<void> {
  const found = await lstat(folder);
  const wrong = [
    ...(found.isDirectory() ? [] : [found.isSymbolicLink() ? 'is a symbolic link' : 'is no folder']),
    ...(found.uid === process.getuid?.() ? [] : ['belongs to another user']),
    ...((found.mode & 0o077) === 0 ? [] : ['is open to other users']),
  ];
  if (process.getuid === undefined || wrong.length === 0) return;
  const advice = 'remove it, or choose a data folder with a shorter path';
  throw new ConfigError([`PARLANCE_DATA: the path is too long for sockets, and ${folder}, where they would be, ${wrong.join(' and ')}; ${advice}`]);
}
