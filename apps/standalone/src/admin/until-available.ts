import { AppError, pause, retryDelay } from '@parlance/platform';
import { AdminFailure, EXIT_FAILED } from './admin-failure.js';

export interface WaitOptions {
  /** Seconds until it gives up. */
  timeout: number;
  /** Called once, after the first failed try. */
  onWait: (reason: string) => void;
}

const BACKOFF = { initialDelayMs: 500, maxDelayMs: 5000 };

/** Does the work again, with growing pauses, while its server is away. @throws AdminFailure with one line when the time is over */
export async function untilAvailable<R>(work: () => Promise<R>, { timeout, onWait }: WaitOptions): Promise<R> {
  const deadline = performance.now() + timeout * 1000;
  for (let failures = 1; ; failures += 1) {
    try {
      return await work();
    } catch (error) {
      if (!(error instanceof AppError && error.retryable)) throw error;
      if (isRefused(error)) throw new AdminFailure(lineOf(error), EXIT_FAILED);
      const left = deadline - performance.now();
      if (left <= 0) throw new AdminFailure(`${lineOf(error)} Gave up after ${timeout} s (--timeout).`, EXIT_FAILED);
      if (failures === 1) onWait(lineOf(error));
      await pause(Math.min(retryDelay(failures, BACKOFF, 1), left));
    }
  }
}

/** Adds the reason that the server or the network gave: operators may see hosts. */
function lineOf(error: AppError): string {
  const reason = reasonOf(error.cause);
  return reason === undefined ? error.message : `${error.message.replace(/\.$/, '')}: ${reason.replaceAll(/\s+/g, ' ').replace(/\.?$/, '.')}`;
}

function reasonOf(cause: unknown): string | undefined {
  return cause instanceof Error ? cause.message : undefined;
}

/** Unauthorized, AuthenticationFailed and AtlasError: https://www.mongodb.com/docs/manual/reference/error-codes/ */
const REFUSALS: ReadonlySet<unknown> = new Set([13, 18, 8000]);

/** HTTP statuses that OpenSearch answers. */
const REFUSING_STATUSES: ReadonlySet<unknown> = new Set([401, 403]);

/** Waiting does not make a wrong password right. */
function isRefused(error: AppError): boolean {
  const causes = [error.cause, (error.cause as Error | undefined)?.cause] as ({ code?: unknown; statusCode?: unknown } | undefined)[];
  return causes.some((cause) => REFUSALS.has(cause?.code) || REFUSING_STATUSES.has(cause?.statusCode));
}
