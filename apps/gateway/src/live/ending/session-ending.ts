/** Ends a session, whose status is `ending` in this generation: recognizes what is left, stores the finals and makes the job continue. */
export interface SessionEnding {
  /** Repeated after a failure, it continues where that ended. */
  finish(sessionId: string, generation: number): Promise<unknown>;
}

/** Injection token of {@link SessionEnding}. */
export const SESSION_ENDING = Symbol('SessionEnding');
