import type { Logger } from '@parlance/platform';

/** Node's own warnings as lines of our log, in place of plain text on standard error between them. */
export function logWarnings(log: Logger): void {
  process.removeAllListeners('warning');
  process.on('warning', ({ name, message, stack }) => log.warn({ warning: name, stack }, message));
}
