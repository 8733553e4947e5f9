import { ConfigError, createLogger, type Logger } from '@parlance/platform';
import { type ProcessOptions, type RunningProcess, runProcess } from './run-process.js';
import type { AnyServiceManifest } from './service-manifest.js';

export type Closable = Pick<RunningProcess, 'shutdownGraceMs' | 'close'>;

/** The main program of one service: runs it until SIGTERM or SIGINT; exit code 1 when it cannot start. */
export async function runService(manifest: AnyServiceManifest): Promise<void> {
  await runProgram(manifest.name, (options) => runProcess([manifest], options));
}

/** The same for any program that is started and closed. */
export async function runProgram(name: string, start: (options: ProcessOptions) => Promise<Closable>): Promise<void> {
  const log = createLogger({ level: process.env.LOG_LEVEL ?? 'info' }).child({ service: name });
  logWarnings(log);
  try {
    closeOnSignal(await start({ env: process.env, log }));
  } catch (error) {
    if (error instanceof ConfigError) process.stderr.write(`${error.message}\n`);
    else log.fatal({ err: error }, 'cannot start');
    process.exitCode = 1;
  }
}

/**
 * Closes on SIGTERM or SIGINT and exits with 0; with 1 when the grace is over. Interrupted work is done again at the next start.
 * A second signal exits at once.
 * @param onStopping called at the first signal.
 */
export function closeOnSignal(running: Closable, onStopping: () => void = () => {}): void {
  let closing = false;
  const leave = () => {
    if (closing) process.exit(1);
    closing = true;
    onStopping();
    setTimeout(() => process.exit(1), running.shutdownGraceMs).unref();
    void running.close().then(() => process.exit(0));
  };
  process.on('SIGTERM', leave).on('SIGINT', leave);
}

/** Node's own warnings as lines of our log, in place of plain text on standard error between them. */
function logWarnings(log: Logger): void {
  process.removeAllListeners('warning');
  process.on('warning', ({ name, message, stack }) => log.warn({ warning: name, stack }, message));
}
