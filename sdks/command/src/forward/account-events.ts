import { setTimeout as sleep } from 'node:timers/promises';
import type { Parlance, WebhookEvent } from '@parlance/client';

const POLL_MS = 1000;

/** The events of the account from now on, as they happen. A server that is away is waited for. */
export async function* newEvents(client: Parlance, signal: AbortSignal, onTrouble: (error: unknown) => void): AsyncGenerator<WebhookEvent> {
  const { data: latest } = await client.events({ order: 'desc', limit: 1 }, { signal }).first();
  let after = latest[0]?.event_id;
  while (!signal.aborted) {
    try {
      const page = await client.events({ after, limit: 100 }, { signal }).first();
      after = page.next_cursor ?? after;
      yield* page.data;
      if (page.has_more) continue;
    } catch (error) {
      if (signal.aborted) return;
      if (!isRetryable(error)) throw error;
      onTrouble(error);
    }
    await sleep(POLL_MS, undefined, { signal }).catch(() => undefined);
  }
}

const isRetryable = (error: unknown) => typeof error === 'object' && error !== null && 'retryable' in error && error.retryable === true;
