import type { FastifyReply, FastifyRequest } from 'fastify';
import { clientAddressOf } from '../http/request-address.js';
import type { Caller } from '../keys/authenticator.js';
import type { LiveSession } from '../live/session/live-session.js';
import type { ShareLink } from '../links/share-link.js';
import type { AuditEntry } from './audit-record.js';

type Actor = Pick<AuditEntry, 'accountId' | 'actorType' | 'actorId' | 'keyId' | 'projectId'>;
type Client = Pick<AuditEntry, 'address' | 'userAgent'>;

/** Characters of a User-Agent that are kept. */
const MAX_USER_AGENT = 200;
const MAX_RESOURCES = 1000;
const SWITCHING_PROTOCOLS = 101;

/** A field that is an id; a parameter of a path can be the secret of a link. */
const ID_NAME = /(?:^|_)id$/;
const ID = /^[\w-]{1,80}$/;
/** The header in which answers to clients of other vendors' APIs have the id of the job. */
const JOB_HEADER = 'x-parlance-transcription-id';

/** The entry of a request; undefined when its account is not known. */
export function entryOf(request: FastifyRequest, event: AuditEntry['event'], reply?: FastifyReply): AuditEntry | undefined {
  const { caller, link, id: requestId } = request;
  const actor = actorOf(request);
  if (!actor || caller?.isInternal) return undefined;
  const resources = [...idsInPath(request), ...(link ? [link.jobId] : []), ...(request.auditedIds ?? []), ...(reply ? createdIds(reply) : [])];
  return {
    ...actor,
    ...clientOf(request),
    event,
    action: actionOf(request),
    resources: [...new Set(resources)].slice(0, MAX_RESOURCES),
    ...(reply && { status: reply.statusCode }),
    requestId,
  };
}

function actorOf({ caller, refusedCaller, link, signedUpAccount }: FastifyRequest): Actor | undefined {
  const known = caller ?? refusedCaller;
  if (known) return callerActor(known);
  if (link) return linkActor(link);
  return signedUpAccount === null ? undefined : { accountId: signedUpAccount, actorType: 'signup' };
}

function callerActor({ accountId, keyId, projectId, token }: Caller): Actor {
  const project = projectId === undefined ? {} : { projectId };
  return token ? { accountId, actorType: 'token', actorId: token.id, keyId, ...project } : { accountId, actorType: 'key', actorId: keyId, ...project };
}

export function clientOf(request: Pick<FastifyRequest, 'ip' | 'socket' | 'headers'>): Client {
  const userAgent = request.headers['user-agent']?.slice(0, MAX_USER_AGENT);
  return { address: clientAddressOf(request), ...(userAgent !== undefined && { userAgent }) };
}

/** The entry of a client that is connected to a live session, to which it sends audio and whose text it receives. */
export function socketEntry({ session, credentialIds }: { session: Pick<LiveSession, 'id' | 'accountId' | 'projectId'>; credentialIds: ReadonlySet<string> }, request: Pick<FastifyRequest, 'ip' | 'socket' | 'headers'>, requestId: string): AuditEntry {
  const [actorId = ''] = credentialIds;
  return {
    accountId: session.accountId,
    event: 'answered',
    action: 'connectLiveSession',
    actorType: actorId.startsWith('tok_') ? 'token' : 'key',
    actorId,
    ...(session.projectId !== undefined && { projectId: session.projectId }),
    ...clientOf(request),
    resources: [session.id],
    status: SWITCHING_PROTOCOLS,
    requestId,
  };
}

/** A link ends with the key that created it. */
const linkActor = ({ accountId, id, keyId }: ShareLink): Actor => ({ accountId, actorType: 'link', actorId: id, keyId });

function actionOf({ method, routeOptions: { config, url = '' } }: FastifyRequest): string {
  return config.operation?.id ?? `${method} ${url}`;
}

/** The ids that the items of a page have, but not that of the account, which all share. */
export const idsOfItems = (items: readonly unknown[]): string[] => items.flatMap((item) => idsIn(item).filter((id) => !id.startsWith('acc_')));

const idsInPath = ({ params }: FastifyRequest): string[] => idsIn(params);

const idsIn = (fields: unknown): string[] =>
  Object.entries((fields ?? {}) as Record<string, unknown>).flatMap(([name, value]) => (ID_NAME.test(name) && typeof value === 'string' && ID.test(value) ? [value] : []));

/** The ids of what the request created, by its answer. */
function createdIds(reply: FastifyReply): string[] {
  const location = String(reply.getHeader('location') ?? '');
  const ids = [location.split('?', 1)[0]?.split('/').at(-1) ?? '', String(reply.getHeader(JOB_HEADER) ?? '')];
  return ids.filter((id) => ID.test(id));
}
