import { ConfigError, createLogger } from '@parlance/platform';
import { logWarnings } from './log-warnings.js';
import { runProcess, type RunningProcess } from './run-process.js';
import type { AnyServiceManifest } from './service-manifest.js';

/** The main program of one service: runs it until SIGTERM or SIGINT; exit code 1 when it cannot start. */
export async function runService(manifest: AnyServiceManifest): Promise<void> {
  const log = createLogger({ level: process.env.LOG_LEVEL ?? 'info' }).child({ service: manifest.name });
  logWarnings(log);
  try {
    closeOnSignal(await runProcess([manifest], { env: process.env, log }));
  } catch (error) {
    if (error instanceof ConfigError) process.stderr.write(`${error.message}\n`);
    else log.fatal({ err: error }, 'cannot start');
    process.exitCode = 1;
  }
}

/**
 * Closes on SIGTERM or SIGINT and exits with 0; with 1 when the grace is over. What was cut off is redone at the next start.
 * A second signal leaves at once: whoever asks twice does not want to wait.
 * @param onStopping called at the first signal.
 */
export function closeOnSignal(running: RunningProcess, onStopping: () => void = () => {}): void {
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
