import type { AppError } from '@parlance/platform';
import type { EngineLimit } from '../../media/intake/engine-limit.js';

export interface EngineRound {
  /** @returns model_unknown; undefined when the engine is there or transcription does not answer */
  missing(model: string): Promise<{ error: AppError; /** True when the round before said so too. */ isConfirmed: boolean } | undefined>;
}

/** Finds speech engines that are not configured any more. One answer is not enough: during a rollout, a pod of the other version may give it. */
export class MissingEngines {
  private missingBefore: ReadonlySet<string> = new Set();

  constructor(private readonly engines: Pick<EngineLimit, 'find'>) {}

  /** Begins a round: each model is looked up once, and none any more after transcription did not answer. */
  round(): EngineRound {
    const before = this.missingBefore;
    const missing = new Set<string>();
    this.missingBefore = missing;
    const answers = new Map<string, Awaited<ReturnType<EngineLimit['find']>>>();
    let isAway = false;
    const find = async (model: string) => {
      if (!answers.has(model) && !isAway) {
        const answer = await this.engines.find(model);
        isAway = answer === undefined;
        answers.set(model, answer);
      }
      return answers.get(model);
    };
    return {
      async missing(model) {
        const error = await find(model);
        if (error === undefined || error === 'present') return undefined;
        missing.add(model);
        return { error, isConfirmed: before.has(model) };
      },
    };
  }
}
