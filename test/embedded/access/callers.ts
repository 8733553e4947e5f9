import { eventually, type TestApi } from '@parlance/testing';
import type { PlantedAccount } from './planted-account.js';
import type { AccessRequest } from './requests.js';

export const SCOPES = ['transcriptions:read', 'transcriptions:write', 'search', 'chat', 'webhooks', 'keys', 'usage', 'audit'] as const;

/** A kind of caller: what it sends as its key. */
export interface Caller {
  /** As the head of its column. */
  name: string;
  /** For the legend, where the name does not say it. */
  description?: string;
  /** True when it may see transcripts and what people wrote about them. */
  canRead: boolean;
  /** True when the caller has no valid key. It is refused before the request is looked at, so that the resource of the request may be gone. */
  isNoKey?: true;
  /** The scope that the caller has, for requests that name one. */
  scope: string;
  /** @returns the key for the request; undefined: none is sent */
  key(request: Pick<AccessRequest, 'jobId' | 'uploadId'>): string | undefined | Promise<string | undefined>;
}

const READ_AND_WRITE = ['transcriptions:read', 'transcriptions:write'];

type Json = Record<string, string>;

/** Every kind of caller of the planted account, and of others. @param other of another account */
export async function callersOf(planted: PlantedAccount, other: TestApi): Promise<Caller[]> {
  const { ids } = planted;
  const key = async (body: object): Promise<Json> => planted.json('POST', '/keys', { name: 'caller', ...body });
  const token = async (body: object): Promise<string> => (await planted.json('POST', '/tokens', { scopes: READ_AND_WRITE, expires_in: 3600, ...body }))['token'] ?? '';
  const single = await Promise.all(SCOPES.map(async (scope): Promise<Caller> => {
    const { api_key: apiKey } = await key({ scopes: [scope] });
    return { name: `\`${scope}\``, canRead: scope === 'transcriptions:read', scope, key: () => apiKey };
  }));
  const ephemeral = await fetch(`${planted.api.url}/v1/realtime/client_secrets`, { method: 'POST', body: '{}', headers: { 'content-type': 'application/json', authorization: `Bearer ${planted.api.apiKey}` } });
  const { value } = (await ephemeral.json()) as { value: string };
  const socketToken = (await planted.json('POST', `/live/${ids['live_id']}/tokens`))['token'] ?? '';
  const followerToken = (await planted.json('POST', `/live/${ids['live_id']}/tokens`, { access: 'read' }))['token'] ?? '';
  const linkSecret = (await planted.link(ids['job_id'] ?? ''))['url']?.split('/').at(-1);
  const { api_key: ofProject } = await key({ scopes: [...READ_AND_WRITE, 'search', 'chat'], project_id: ids['project_id'] });
  const { api_key: revoked, key_id: revokedId } = await key({});
  await planted.json('DELETE', `/keys/${revokedId}`);
  const { api_key: expired = '' } = await key({ expires_at: new Date(Date.now() + 1500).toISOString() });
  await eventually('the key to expire', async () => (await planted.api.as(expired).request('GET', '/account')).status === 401);
  await eventually('the key to be revoked', async () => (await planted.api.as(revoked ?? '').request('GET', '/account')).status === 401);
  const otherJob = await planted.job();
  const ofOtherJob = await token({ job_id: otherJob });
  const ofUpload = await token({ upload_id: ids['upload_id'] });
  const unbound = await token({});
  const tokens = new Map<string, Promise<string>>();
  const ofJob = (jobId = otherJob): Promise<string> => {
    const known = tokens.get(jobId) ?? token({ job_id: jobId });
    tokens.set(jobId, known);
    return known;
  };
  const stranger = { canRead: false, scope: 'transcriptions:read' };
  const noKey = { ...stranger, isNoKey: true as const };
  const reader = { canRead: true, scope: 'transcriptions:read' };
  return [
    { name: 'every scope', ...reader, key: () => planted.api.apiKey },
    ...single,
    { name: 'token', description: 'a short-lived token with `transcriptions:read` and `transcriptions:write`', ...reader, key: () => unbound },
    { name: 'token of the job', description: 'such a token for the job of the request', ...reader, key: ({ jobId }) => ofJob(jobId) },
    { name: 'of another job', description: 'such a token for another job', ...stranger, key: () => ofOtherJob },
    { name: 'of an upload', description: 'such a token for the upload of the request', ...reader, key: ({ uploadId }) => (uploadId === undefined || uploadId === ids['upload_id'] ? ofUpload : token({ upload_id: uploadId })) },
    { name: 'follower', description: 'the token of a follower of another live session', ...stranger, key: () => followerToken },
    { name: 'socket token', description: 'the token of a live session’s socket, sent as a key', ...noKey, key: () => socketToken },
    { name: 'ephemeral', description: 'an ephemeral key of OpenAI’s realtime protocol', ...noKey, key: () => value },
    { name: 'link', description: 'the secret of a link, sent as a key', ...noKey, key: () => linkSecret },
    { name: 'project', description: 'a key of another project', ...stranger, key: () => ofProject },
    { name: 'account', description: 'a key of another account with every scope', ...stranger, key: () => other.apiKey },
    { name: 'revoked', description: 'a revoked key with every scope', ...noKey, key: () => revoked },
    { name: 'expired', description: 'an expired key with every scope', ...noKey, key: () => expired },
    { name: 'none', description: 'no key', ...noKey, key: () => undefined },
  ];
}
