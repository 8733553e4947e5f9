import { renameSync, statSync } from 'node:fs';
import { join } from 'node:path';
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

/** The log's destination. A large file of earlier starts is set aside as `parlance.log.1`. */
export function openLogFile(logFile: string | undefined, dataFolder: string): DestinationStream {
  if (logFile === '-') return pino.destination(1);
  const path = logFile ?? join(dataFolder, 'parlance.log');
  if ((statSync(path, { throwIfNoEntry: false })?.size ?? 0) > MAX_LOG_BYTES) renameSync(path, `${path}.1`);
  return pino.destination({ dest: path, mkdir: true, sync: false });
}
