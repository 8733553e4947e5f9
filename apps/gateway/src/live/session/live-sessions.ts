import { Inject, Injectable } from '@nestjs/common';
import { AppError, notFound, toAppError, type Clock } from '@parlance/platform';
import { CLOCK, DOCUMENTS } from '@parlance/runtime';
import type { DocumentCollection, DocumentDatabase, Stored } from '@parlance/storage';
import { credentialOf } from '../../keys/authenticator.js';
import { withFailure } from './end-failures.js';
import { isOver, liveSessionCollection, type LiveSession } from './live-session.js';
import { invalidToken, LiveTokens } from './live-tokens.js';
import { requireListener, type SocketCaller } from './socket-access.js';

/** Given when a session is created; the rest begins empty. */
export type NewLiveSession = Pick<LiveSession, 'id' | 'accountId' | 'keyId' | 'credentialId' | 'projectId' | 'audio' | 'partials' | 'endpointing' | 'options' | 'storeAudio' | 'finalPass' | 'limits'>;

/** A session that a token has opened. */
export interface RedeemedToken {
  session: LiveSession;
  /** The key or token that the token was issued to. */
  credentialId: string;
}

/** Parts that the connection with the session may change. */
type LiveChanges = Partial<Pick<LiveSession, 'acknowledged' | 'audioMs' | 'restart'>>;

const DAY_MS = 24 * 60 * 60 * 1000;
/** Document and events of an ended session are kept for so many milliseconds, for clients and followers that come late. */
const KEPT_MS = 7 * DAY_MS;

/** The sessions. Each has one generation at a time that may change it: a change of an older one is refused. */
@Injectable()
export class LiveSessions {
  private readonly collection: DocumentCollection<LiveSession>;

  constructor(
    @Inject(DOCUMENTS) documents: Pick<DocumentDatabase, 'collection'>,
    @Inject(CLOCK) private readonly clock: Clock,
    @Inject(LiveTokens) private readonly tokens: LiveTokens,
  ) {
    this.collection = documents.collection(liveSessionCollection);
  }

  /** Repeated, it returns what is there. */
  async create(session: NewLiveSession): Promise<LiveSession> {
    const { maxSessionMs, resumeMs } = session.limits;
    const { stored } = await this.collection.update(session.id, (current) => {
      if (current) return undefined;
      return { document: { ...session, ...begun(), createdAt: this.after(0), resumeUntil: this.after(resumeMs), endsBy: this.after(maxSessionMs + resumeMs) } };
    });
    return present(stored);
  }

  /** @throws AppError not_found */
  async get(accountId: string, id: string): Promise<LiveSession> {
    const session = await this.find(id);
    if (session?.accountId !== accountId) throw notFound('The live session');
    return session;
  }

  /** A session of any account. */
  async find(id: string): Promise<LiveSession | undefined> {
    return (await this.collection.get(id))?.document;
  }

  /** A new token for the socket of the session. @throws AppError not_found, live_ended; insufficient_scope for a caller that may not listen */
  async issueToken(caller: SocketCaller, id: string): Promise<{ token: string; expiresAt: string }> {
    requireListener(caller, await this.get(caller.accountId, id));
    const { token, stored } = this.tokens.make(credentialOf(caller));
    await this.change(id, (session) => this.tokens.add(requireOpen(session), stored));
    return { token, expiresAt: stored.expiresAt };
  }

  /** Uses the token up. Where there is no such session, every token is wrong: strangers must not learn which sessions there are. @throws AppError live_token_invalid, live_ended */
  async redeem(id: string, token: string): Promise<RedeemedToken> {
    let credentialId = '';
    const session = await this.change(id, (current) => {
      // The token first: a session's state is not for callers without one.
      const redeemed = requireOpen(this.tokens.use(current, token));
      credentialId = this.tokens.issuerOf(current, token) ?? current.credentialId;
      return redeemed;
    }, invalidToken);
    return { session, credentialId };
  }

  /** For a new connection. From here on, changes of older ones are refused. @throws AppError not_found, live_ended */
  takeOver(id: string): Promise<LiveSession> {
    return this.change(id, (session) => this.extended(nextGeneration(requireOpen(session))));
  }

  /** For the end of the session, whose status is `ending` then. @returns undefined when it has ended already */
  async takeOverEnd(id: string): Promise<LiveSession | undefined> {
    const session = await this.change(id, (current) => (isOver(current) ? undefined : this.extended(this.inEnding(nextGeneration(current)))));
    return isOver(session) ? undefined : session;
  }

  /** Also keeps the session for another `resumeMs`. @throws AppError not_found, live_taken_over, live_ended */
  commit(id: string, generation: number, changes: LiveChanges): Promise<LiveSession> {
    return this.change(id, (session) => this.extended({ ...requireOwn(session, generation), ...changes }));
  }

  /** No client can connect any more. @throws AppError not_found, live_taken_over, live_ended */
  beginEnd(id: string, generation: number): Promise<LiveSession> {
    return this.change(id, (session) => this.extended(this.inEnding(requireOwn(session, generation))));
  }

  /** The session has become a job. Repeated, it changes nothing. @throws AppError not_found, live_taken_over, live_ended for a canceled one */
  end(id: string, generation: number): Promise<LiveSession> {
    return this.change(id, (session) => (session.status === 'ended' && session.generation === generation ? undefined : this.over(requireOwn(session, generation), 'ended')));
  }

  /** Whatever its generation is. @returns undefined when there is no such session */
  async cancel(id: string): Promise<LiveSession | undefined> {
    const { stored } = await this.collection.update(id, (session) => (session && !isOver(session) ? { document: this.over(session, 'canceled') } : undefined));
    return stored?.document;
  }

  /** The end failed: it is tried again after so many milliseconds. */
  async postponeEnd(id: string, ms: number, error: AppError): Promise<void> {
    await this.collection.update(id, (session) => {
      if (!session || isOver(session)) return undefined;
      const before = session.ending ?? { since: this.after(0), failures: 0 };
      return { document: { ...session, ending: withFailure(before, error), resumeUntil: this.after(ms) } };
    });
  }

  /** The end was interrupted: another process may continue it at once. @throws AppError not_found, live_taken_over, live_ended */
  async releaseEnd(id: string, generation: number): Promise<void> {
    await this.change(id, (session) => ({ ...requireOwn(session, generation), resumeUntil: this.after(0) }));
  }

  /** Sessions that no process has committed in time; they have to be ended. */
  async *due(): AsyncGenerator<LiveSession> {
    const range = { field: 'resumeUntil', lt: this.after(0) };
    for (const status of ['open', 'ending']) {
      for await (const { document } of this.collection.all({ where: { status }, range, orderBy: 'resumeUntil', direction: 'ascending' })) yield document;
    }
  }

  /** Sessions that ended long ago. */
  async *outdated(): AsyncGenerator<LiveSession> {
    for await (const { document } of this.collection.all({ range: { field: 'removeAfter', lt: this.after(0) }, orderBy: 'removeAfter', direction: 'ascending' })) yield document;
  }

  /** The session becomes outdated again after so many milliseconds. */
  async postponeRemoval(id: string, ms: number): Promise<void> {
    await this.collection.update(id, (session) => session && { document: { ...session, removeAfter: this.after(ms) } });
  }

  /** 0 or 1, also when its key is destroyed. */
  count(id: string): Promise<number> {
    return this.collection.count({ id });
  }

  countOpen(accountId?: string): Promise<number> {
    return this.collection.count({ ...(accountId !== undefined && { accountId }), status: 'open' });
  }

  remove(id: string): Promise<boolean> {
    return this.collection.remove(id);
  }

  /** @param change undefined leaves it as it is. @param missing makes the error for a session that does not exist. @throws AppError not_found */
  private async change(id: string, change: (session: LiveSession) => LiveSession | undefined, missing = () => notFound('The live session')): Promise<LiveSession> {
    const { stored } = await this.collection.update(id, (session) => {
      if (!session) throw missing();
      const document = change(session);
      return document && { document };
    });
    return present(stored);
  }

  private extended(session: LiveSession): LiveSession {
    const end = this.after(session.limits.resumeMs);
    // While the end is worked on, the longest session is over already.
    return { ...session, resumeUntil: session.status === 'open' && session.endsBy < end ? session.endsBy : end };
  }

  private inEnding(session: LiveSession): LiveSession {
    return { ...session, status: 'ending', ending: session.ending ?? { since: this.after(0), failures: 0 } };
  }

  private over(session: LiveSession, status: 'ended' | 'canceled'): LiveSession {
    return { ...session, status, endedAt: this.after(0), removeAfter: this.after(KEPT_MS) };
  }

  private after(ms: number): string {
    return new Date(this.clock.now().getTime() + ms).toISOString();
  }
}

const begun = (): Pick<LiveSession, 'status' | 'generation' | 'generations' | 'acknowledged' | 'audioMs' | 'restart' | 'tokens'> => ({
  status: 'open',
  generation: 0,
  generations: [],
  acknowledged: 0,
  audioMs: 0,
  restart: { sample: 0, utterances: 0 },
  tokens: [],
});

/** Generations that stored nothing have no pieces that count, and are dropped. */
function nextGeneration(session: LiveSession): LiveSession {
  const generation = session.generation + 1;
  const before = session.generations.filter(({ from }) => from < session.acknowledged);
  return { ...session, generation, generations: [...before, { generation, from: session.acknowledged }] };
}

function requireOpen(session: LiveSession): LiveSession {
  if (session.status !== 'open') throw liveEnded();
  return session;
}

function requireOwn(session: LiveSession, generation: number): LiveSession {
  if (isOver(session)) throw liveEnded();
  if (session.generation !== generation && session.status === 'ending') throw liveEnded();
  if (session.generation !== generation) throw new AppError({ code: 'live_taken_over', message: 'A newer connection has the live session.' });
  return session;
}

function present(stored: Stored<LiveSession> | undefined): LiveSession {
  if (!stored) throw notFound('The live session');
  return stored.document;
}

export const liveEnded = () => new AppError({ code: 'live_ended', message: 'The live session has ended.' });

/** True when another connection or process has the session, or it is over. */
export const isOthers = (error: unknown): boolean => ['live_taken_over', 'live_ended'].includes(toAppError(error).code);
