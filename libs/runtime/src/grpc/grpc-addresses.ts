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

/** The address of each service: `INGEST_GRPC_URL` and so on, a gRPC target such as `dns:///ingest:50051`. */
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

/** The address that a service's gRPC server binds: its unix socket, or GRPC_LISTEN when the service has a configured address. */
export function grpcListenAddress(service: ServiceName, config: Record<string, unknown>, dataFolder: string): string {
  const target = grpcTarget(service, config, dataFolder);
  if (target.startsWith('unix:')) return target;
  const { GRPC_LISTEN: listen } = config;
  return typeof listen === 'string' ? listen : '0.0.0.0:50051';
}

/** The folder of the sockets is in the data folder, or in the system's temporary folder when that path is too long for a socket. */
export function socketFolder(dataFolder: string): string {
  const folder = resolve(dataFolder, 'run');
  const longest = Math.max(...SERVICE_NAMES.map((service) => join(folder, `${service}.sock`).length));
  if (longest <= MAX_SOCKET_PATH) return folder;
  const digest = createHash('sha256').update(folder).digest('hex').slice(0, 16);
  return join(tmpdir(), `${FALLBACK_PREFIX}${digest}`);
}

/**
 * Makes the folder for the owner alone and removes the socket that a killed process left.
 * @throws ConfigError when another user has made the folder, which is possible in the system's temporary folder
 */
export async function prepareSocket(target: string): Promise<void> {
  if (!target.startsWith('unix:')) return;
  const path = target.slice('unix:'.length);
  const folder = dirname(path);
  await mkdir(folder, { recursive: true, mode: 0o700 }).catch((error: unknown) => {
    // The path is a file or a dangling link; `checkOwn` names the fault.
    if (!isFallback(folder)) throw error;
  });
  if (isFallback(folder)) await checkOwn(folder);
  await rm(path, { force: true });
}

const isFallback = (folder: string): boolean => dirname(folder) === tmpdir() && basename(folder).startsWith(FALLBACK_PREFIX);

/** The owner of the folder of the sockets could read and forge the calls between the services. */
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
