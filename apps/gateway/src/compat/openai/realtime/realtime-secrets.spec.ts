import { describe, expect, it } from '@jest/globals';
import { toAppError } from '@parlance/platform';
import { realtimeCredentials } from './realtime-credentials.js';
import { RealtimeSecrets } from './realtime-secrets.js';

const caller = { accountId: 'acc_1', keyId: 'key_1', scopes: new Set<never>() };
const token = { id: 'tok_1', accountId: 'acc_1', keyId: 'key_1', scopes: [], hash: '', createdAt: '', expiresAt: '2026-01-01T00:10:00.000Z' };
const secrets = new RealtimeSecrets({ issue: async () => ({ token, secret: 'plt_secret' }) }, { check: async () => {} });
const sessionOf = (prompt: string) => ({ type: 'transcription', audio: { input: { transcription: { prompt } } } });

describe('an ephemeral key', () => {
  it('has the session that it was made for', async () => {
    const { value, expires_at: expiresAt } = await secrets.create(caller, { session: sessionOf('Parlance') });
    expect(expiresAt).toBe(1_767_226_200);
    expect(realtimeCredentials({ headers: { authorization: `Bearer ${value}` } })).toMatchObject({ apiKey: 'plt_secret', session: sessionOf('Parlance') });
  });

  it('is refused for a session that has more bytes than a header may have, also in few characters', async () => {
    const error = await secrets.create(caller, { session: sessionOf('語'.repeat(3000)) }).catch(toAppError);
    expect(error).toMatchObject({ kind: 'invalid', fields: [{ pointer: '/session', code: 'too_large' }] });
  });

  it('is made by a key alone, not by a token', async () => {
    const error = await secrets.create({ ...caller, token: { id: 'tok_2' } }, {}).catch(toAppError);
    expect(error).toMatchObject({ kind: 'forbidden', code: 'insufficient_scope' });
  });
});
