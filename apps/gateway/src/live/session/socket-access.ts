import { AppError } from '@parlance/platform';
import { canRead, credentialOf, type Caller } from '../../keys/authenticator.js';
import { requireInProject } from '../../keys/project-boundary.js';
import type { LiveSession } from './live-session.js';

/** The caller that asks for the socket of a session. */
export type SocketCaller = Pick<Caller, 'accountId' | 'keyId' | 'scopes' | 'projectId' | 'token'>;

/**
 * The socket sends what is said: to the key or token that created the session, to a token that this key made for it, and to callers
 * that may read transcripts.
 *
 * @throws AppError insufficient_scope; not_found for a session of another project
 */
export function requireListener(caller: SocketCaller, session: LiveSession): LiveSession {
  requireInProject(caller, session, 'The live session');
  const isCreator = credentialOf(caller) === session.credentialId;
  const isForSession = caller.keyId === session.credentialId && caller.token?.jobId === session.id;
  if (isCreator || isForSession || canRead(caller)) return session;
  throw new AppError({ kind: 'forbidden', code: 'insufficient_scope', message: 'Another key or token created the live session. Its socket sends what is said, so that it requires the scope transcriptions:read as well.' });
}
