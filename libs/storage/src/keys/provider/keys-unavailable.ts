import { AppError } from '@parlance/platform';

/** The key service is away or limits the rate of calls; another try may succeed. */
export const keysUnavailable = (message: string, cause?: unknown): AppError => new AppError({ kind: 'unavailable', code: 'keys_unavailable', message, cause });

/** The key is not the right one. The work waits all the same: an operator can put the right key back. */
export const wrongKey = (message: string, cause?: unknown): AppError => new AppError({ kind: 'unavailable', code: 'keys_unavailable', message, retryable: false, cause });

/** The key service refuses the call: the key does not exist or is disabled, or the credentials lack a permission. Work waits for the operator. */
export class KeyServiceRefusal extends AppError {
  constructor(message: string, cause?: unknown) {
    super({ kind: 'unavailable', code: 'keys_unavailable', message, retryable: false, cause });
  }
}
