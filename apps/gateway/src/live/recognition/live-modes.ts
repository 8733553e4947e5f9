import { Inject, Injectable } from '@nestjs/common';
import type { LiveService, ServerMessageOf } from '@parlance/contracts';
import { LIVE_SERVICE } from '@parlance/runtime';
import { LRUCache } from 'lru-cache';
import { optionsOf, type LiveSession } from '../session/live-session.js';
import { modeOf } from './recognition-messages.js';

/** Engine and mode of a session, as `ready` says. */
export type LiveEngine = Pick<ServerMessageOf<'ready'>, 'engine' | 'mode'>;

const CALL_MS = 3000;
/** Milliseconds for which an answer counts without asking again. */
const FRESH_MS = 60_000;

/** Looks up how live sessions are recognized, by model. A worker that is away does not keep clients from connecting: the last answer is kept. */
@Injectable()
export class LiveModes {
  private readonly known = new LRUCache<string, { engine: LiveEngine; at: number }>({ max: 100 });

  constructor(@Inject(LIVE_SERVICE) private readonly live: Pick<LiveService, 'getLiveEngine'>) {}

  /** @throws AppError model_unknown; unavailable when no worker answers and none has before */
  async of(session: LiveSession): Promise<LiveEngine> {
    const { model } = optionsOf(session);
    const known = this.known.get(model ?? '');
    if (known && performance.now() - known.at < FRESH_MS) return known.engine;
    try {
      const { engine, mode } = await this.live.getLiveEngine({ model }, { timeoutMs: CALL_MS });
      const fresh = { engine: { engine, mode: modeOf(mode) }, at: performance.now() };
      this.known.set(model ?? '', fresh);
      return fresh.engine;
    } catch (error) {
      if (!known) throw error;
      return known.engine;
    }
  }
}
