import { join } from 'node:path';
import { ConfigError, rotatingLogFile } from '@parlance/platform';
import { processConfig } from '@parlance/runtime/process-config';
import { pino, type DestinationStream } from 'pino';
import { z } from 'zod';

/** Settings of the one-process shape, beside those of its services. */
export const standaloneConfig = {
  PARLANCE_DATA: processConfig.PARLANCE_DATA,
  LOG_LEVEL: processConfig.LOG_LEVEL,
  LOG_FILE: z.string().optional().describe('Log file, rotated at 20 MB with five files kept; `-` is standard output. Default $PARLANCE_DATA/parlance.log'),
  BOOTSTRAP_API_KEY: z.string().optional().describe('API key of the first account'),
} as const;

const MAX_LOG_BYTES = 20 * 1024 * 1024;
const LOG_FILES_KEPT = 4;

/** The log's destination. @throws ConfigError when it cannot be written */
export function openLogFile(logFile: string | undefined, dataFolder: string): DestinationStream {
  if (logFile === '-') return pino.destination(1);
  const path = logFile ?? join(dataFolder, 'parlance.log');
  try {
    return rotatingLogFile({ path, maxBytes: MAX_LOG_BYTES, keep: LOG_FILES_KEPT });
  } catch (error) {
    throw new ConfigError([`LOG_FILE: ${path} cannot be written (${(error as NodeJS.ErrnoException).code ?? String(error)})`]);
  }
}
