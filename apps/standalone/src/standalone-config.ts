import { renameSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { ConfigError } from '@parlance/platform';
import { processConfig } from '@parlance/runtime';
import { pino, type DestinationStream } from 'pino';
import { z } from 'zod';

/** What the one-process form reads beside the services' own settings. */
export const standaloneConfig = {
  PARLANCE_DATA: processConfig.PARLANCE_DATA,
  LOG_LEVEL: processConfig.LOG_LEVEL,
  LOG_FILE: z.string().optional().describe('Where the log goes; `-` is standard output. Default $PARLANCE_DATA/parlance.log'),
  BOOTSTRAP_API_KEY: z.string().optional().describe('The first account’s key'),
} as const;

const MAX_LOG_BYTES = 20 * 1024 * 1024;
/** Of lines that wait for a disk with room; more are dropped. */
const MAX_WAITING_BYTES = 4 * 1024 * 1024;

/**
 * The log's destination, readable by its owner alone. A large file of earlier starts is set aside as `parlance.log.1`.
 * Lines are written at once: what is buffered must be flushed at the exit, and on a full disk that flush never ends.
 * @throws ConfigError when it cannot be written.
 */
export function openLogFile(logFile: string | undefined, dataFolder: string): DestinationStream {
  if (logFile === '-') return pino.destination(1);
  const path = logFile ?? join(dataFolder, 'parlance.log');
  if ((statSync(path, { throwIfNoEntry: false })?.size ?? 0) > MAX_LOG_BYTES) renameSync(path, `${path}.1`);
  try {
    const destination = pino.destination({ dest: path, mkdir: true, sync: true, mode: 0o600, maxLength: MAX_WAITING_BYTES });
    // On a full disk the log has gaps; the services go on.
    return destination.on('error', () => undefined);
  } catch (error) {
    throw new ConfigError([`LOG_FILE: ${path} cannot be written (${(error as NodeJS.ErrnoException).code ?? String(error)})`]);
  }
}
