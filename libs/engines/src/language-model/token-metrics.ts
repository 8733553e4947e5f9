import { sharedCounter, type Metrics } from '@parlance/platform';
import type { TokenUsage } from './language-model.js';

/** Counts the tokens that language models read and write, as reported by their servers. */
export class TokenMetrics {
  private readonly tokens;

  constructor(metrics: Metrics) {
    this.tokens = sharedCounter(metrics, {
      name: 'parlance_language_model_tokens_total',
      help: 'Tokens of a language model, as counted by its server',
      labelNames: ['work', 'engine', 'direction'],
    });
  }

  /** @param usage undefined where the server does not say */
  used(work: string, engine: string, usage: TokenUsage | undefined): void {
    if (!usage) return;
    this.tokens.inc({ work, engine, direction: 'input' }, usage.inputTokens);
    this.tokens.inc({ work, engine, direction: 'output' }, usage.outputTokens);
  }
}
