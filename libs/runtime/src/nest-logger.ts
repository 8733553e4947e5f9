import type { LoggerService } from '@nestjs/common';
import type { Logger } from '@parlance/platform';

/** Nest's own messages in our log; its start-up chatter is debug. */
export function nestLogger(log: Logger): LoggerService {
  const write =
    (level: 'debug' | 'warn' | 'error' | 'fatal') =>
    (message: unknown, ...details: unknown[]) =>
      log[level]({ nest: details.filter((detail) => typeof detail === 'string') }, String(message));
  return { log: write('debug'), debug: write('debug'), verbose: write('debug'), warn: write('warn'), error: write('error'), fatal: write('fatal') };
}
