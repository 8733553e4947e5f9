import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { StorageFolder } from '../../test/storage-folder.js';
import type { GatewayConfig } from '../gateway.config.js';
import type { AccountPlans } from '../plans/index.js';
import { LivePlaces, type OpenedSession } from './live-places.js';
import { LiveSessions } from './session/live-sessions.js';
import { LiveTokens } from './session/live-tokens.js';

const sessionOf = (id: string): OpenedSession => ({ id, accountId: 'acc_1', keyId: 'key_1', credentialId: 'key_1', audio: { container: 'auto' }, partials: true, endpointing: { silenceMs: 500, maxUtteranceMs: 20_000 }, options: {}, storeAudio: true, finalPass: 'none' });

describe('the places of live sessions', () => {
  let storage: StorageFolder;
  let sessions: LiveSessions;
  let places: LivePlaces;
  beforeAll(async () => {
    storage = await StorageFolder.open();
    sessions = new LiveSessions(storage.documents, storage.clock, new LiveTokens(storage.clock, randomBytes));
    const plans = { of: async () => ({ limits: { liveSessions: 1 } }) } as unknown as Pick<AccountPlans, 'of'>;
    const config = { LIVE_SESSION_MAX_MINUTES: 60, LIVE_IDLE_SECONDS: 60, LIVE_RESUME_SECONDS: 60 } as GatewayConfig;
    places = new LivePlaces(sessions, plans, config);
  });
  afterAll(() => storage[Symbol.asyncDispose]());

  it('are as many as the plan has, and a repeated creation keeps its own', async () => {
    await places.open(sessionOf('job_1'), { isRepeated: false });
    await expect(places.open(sessionOf('job_2'), { isRepeated: false })).rejects.toMatchObject({ code: 'too_many_live_sessions' });
    expect(await sessions.find('job_2')).toBeUndefined();
    // An earlier attempt has created it with its job, and others have been opened since then.
    await sessions.create({ ...sessionOf('job_3'), limits: { maxFrameBytes: 1, maxBytes: 1, idleMs: 1, maxSessionMs: 60_000, resumeMs: 60_000 } });
    expect(await places.open(sessionOf('job_3'), { isRepeated: true })).toMatchObject({ id: 'job_3', status: 'open' });
  });
});
