import { pino, type DestinationStream, type Logger as PinoLogger } from 'pino';
import { traceFields } from '../tracing/span.js';
import { loggedError } from './logged-error.js';

/** JSON lines with `job_id`, `account_id`, `request_id`, `trace_id`; never transcript text or secrets. */
export type Logger = PinoLogger;

interface LoggerOptions {
  level: string;
  destination?: DestinationStream;
}

export function createLogger({ level, destination }: LoggerOptions): Logger {
  const options = {
    level,
    base: { pid: process.pid },
    timestamp: () => `,"time":"${new Date().toISOString()}"`,
    mixin: traceFields,
    serializers: { err: loggedError },
    formatters: { level: (label: string) => ({ level: label }) },
    redact: { paths: ['authorization', 'api_key', 'secret', '*.authorization', '*.api_key', '*.secret'], censor: '[redacted]' },
  };
  return destination ? pino(options, destination) : pino(options);
}

/** For tests and tools that want no log. */
export const silentLogger = (): Logger => pino({ level: 'silent' });
