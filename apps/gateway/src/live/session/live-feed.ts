import { Injectable } from '@nestjs/common';
import type { LastingMessage, ServerMessageOf } from '@parlance/contracts';

/** `ending`: no client can send any more, and the last messages are to come. `canceled`: the job was canceled or deleted, so that nothing more is to come. */
export type FeedMessage = LastingMessage | ServerMessageOf<'partial'> | { type: 'ending' | 'canceled' };

type Listener = (message: FeedMessage) => void;

/** Passes the messages of this process's sessions on to followers in it. It keeps nothing. */
@Injectable()
export class LiveFeed {
  private readonly listeners = new Map<string, Set<Listener>>();

  publish(sessionId: string, message: FeedMessage): void {
    for (const listener of this.listeners.get(sessionId) ?? []) listener(message);
  }

  /** @returns ends it. */
  follow(sessionId: string, listener: Listener): () => void {
    const ofSession = this.listeners.get(sessionId) ?? new Set();
    this.listeners.set(sessionId, ofSession.add(listener));
    return () => {
      ofSession.delete(listener);
      if (ofSession.size === 0 && this.listeners.get(sessionId) === ofSession) this.listeners.delete(sessionId);
    };
  }
}
