import { setTimeout as sleep } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import type { LiveMessage, LiveSession } from '../../src/index.js';
import { pattern } from '../../../conformance/fault-server/pattern.mjs';
import { clientOf, described, isShown, type Outcome } from './run-case.js';
import type { Case, FaultServer } from './fault-server.js';

/** A session that waits for something that never comes fails by itself, and no other case with it. */
const LIMIT_MS = 30_000;

/** A step of the client in a live session, in order. */
interface Action {
  /** The number of bytes to send next. */
  send?: number;
  /** Waits for a message that has these fields. */
  until?: object;
  finalize?: true;
  finish?: true;
  close?: true;
}

export interface LiveCase extends Case {
  actions: Action[];
  messages?: object[];
  reconnects?: number;
}

export interface LiveOutcome extends Outcome {
  /** Partials, finals and gaps that the handlers received. */
  messages: LiveMessage[];
  reconnects: number;
}

/** Opens the session of a case against the fault server, and performs its actions. */
export async function runLiveCase(server: FaultServer, played: LiveCase): Promise<LiveOutcome> {
  const { run, base_url: baseUrl } = await server.begin(played.name);
  const { client, keys } = clientOf(played, baseUrl);
  const outcome = { messages: [] as LiveMessage[], reconnects: 0, progress: [], isKeyShown: false };
  const keep = (message: LiveMessage) => void outcome.messages.push(message);
  const received = new Messages();
  const { cancel_after: cancelAfter, max_retries: maxRetries } = played.options ?? {};
  const signal = typeof cancelAfter === 'number' ? AbortSignal.timeout(cancelAfter) : undefined;
  const handlers = { onPartial: keep, onFinal: keep, onGap: keep, onMessage: received.add, onReconnect: () => void (outcome.reconnects += 1) };
  let session: LiveSession | undefined;
  try {
    session = await client.live.connect(played.params, { signal, ...handlers, ...(typeof maxRetries === 'number' && { maxRetries }) });
    const result = await Promise.race([performed(played.actions, session, received), tooLate()]);
    return { ...outcome, result, faults: await server.faults(run) };
  } catch (error) {
    return { ...outcome, error: described(error, keys), faults: await server.faults(run), isKeyShown: isShown(error, 'tok_') };
  } finally {
    session?.close();
  }
}

async function tooLate(): Promise<never> {
  await sleep(LIMIT_MS, undefined, { ref: false });
  throw new Error(`The session has not ended after ${LIMIT_MS / 1000} s.`);
}

async function performed(actions: Action[], session: LiveSession, received: Messages): Promise<unknown> {
  let sent = 0;
  for (const { send, until, finalize, finish, close } of actions) {
    if (send !== undefined) await session.send(pattern(sent, send));
    sent += send ?? 0;
    if (until) await Promise.race([received.until(until), session.finished]);
    if (finalize) session.finalize();
    if (finish) void session.finish().catch(() => undefined);
    if (close) session.close();
  }
  return session.finished;
}

/** The messages of a session, each of which satisfies one `until`. */
class Messages {
  #messages: object[] = [];
  #check = () => {};

  readonly add = (message: object): void => {
    this.#messages.push(message);
    this.#check();
  };

  until(fields: object): Promise<void> {
    return new Promise((resolve) => {
      this.#check = () => {
        const at = this.#messages.findIndex((message) => Object.entries(fields).every(([name, value]) => isDeepStrictEqual((message as Record<string, unknown>)[name], value)));
        if (at === -1) return;
        this.#messages = this.#messages.slice(at + 1);
        resolve();
      };
      this.#check();
    });
  }
}
