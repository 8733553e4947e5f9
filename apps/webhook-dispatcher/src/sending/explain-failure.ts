import { noAnswerReason, type NoAnswerReason } from '@parlance/egress';
import { AppError } from '@parlance/platform';

/** Explains to the account's owner why there was no answer: no addresses, no stack. `final`: another try would end the same way. */
export function explainFailure(thrown: unknown, timeoutMs: number): { message: string; final: boolean } {
  for (let error = thrown; error instanceof Error; error = error.cause) {
    if (error instanceof AppError) return { message: `${error.code}: ${error.message}`, final: !error.retryable };
  }
  return { message: EXPLANATIONS[noAnswerReason(thrown)](timeoutMs / 1000), final: false };
}

const EXPLANATIONS: Record<NoAnswerReason, (seconds: number) => string> = {
  unknown_host: () => 'The host name cannot be resolved.',
  untrusted_certificate: () => 'The certificate of the receiver is not trusted.',
  no_answer: (seconds) => `No HTTP answer within ${seconds} s: the receiver is unreachable, refuses or drops connections, or is too slow.`,
};
