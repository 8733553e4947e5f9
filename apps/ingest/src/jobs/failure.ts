import type { common } from '@parlance/contracts';
import type { AppError } from '@parlance/platform';

export const failureOf = ({ code, message, retryable }: AppError): common.Failure => ({ code, message, retryable });
