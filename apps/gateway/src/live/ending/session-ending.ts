/** Ends a session, whose status is `ending` in this generation: recognizes what is left, stores the finals and makes the job continue. */
export interface SessionEnding {
  /** Repeated after a failure, or after the signal has aborted it, it continues where that ended. */
  finish(sessionId: string, generation: number, signal: AbortSignal): Promise<unknown>;
}

/** Injection token of {@link SessionEnding}. */
export const SESSION_ENDING = Symbol('SessionEnding');
