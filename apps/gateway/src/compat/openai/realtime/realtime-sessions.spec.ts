import { describe, expect, it } from '@jest/globals';
import { RealtimeSessions } from './realtime-sessions.js';
import type { NewLive } from '../../../live/live-schema.js';
import { defaultSettings, type RealtimeSettings } from './realtime-settings.js';

/** The live session that is created for a transcription as a client asks for it. */
async function liveOf(transcription: RealtimeSettings['transcription']): Promise<NewLive | undefined> {
  let created: NewLive | undefined;
  const creation = { create: async (_origin: object, body: NewLive) => void (created = body) };
  const sessions = new RealtimeSessions({ resolve: async () => undefined } as never, creation as never, {} as never, {} as never, { refusalOf: async () => undefined });
  const settings = { ...defaultSettings(), transcription };
  await sessions.check(settings);
  const caller = { accountId: 'acc_1', keyId: 'key_1', scopes: new Set<never>() };
  await sessions.open(caller, { id: 'req_1' } as never, { settings, sessionId: 'sess_1', socket: {} as never }).catch(() => {});
  return created;
}

describe('the live session of a client of OpenAI’s protocol', () => {
  it('has a prompt of more terms than a vocabulary has cut, as it is for recordings', async () => {
    const prompt = Array.from({ length: 1001 }, (_, index) => `term ${index}`).join(',');
    expect((await liveOf({ prompt }))?.vocabulary).toHaveLength(1000);
  });

  it('has the first of several languages, and the keywords beside the terms of the prompt', async () => {
    expect(await liveOf({ languages: ['de', 'en'], prompt: 'Ada', keywords: ['Parlance', ' '] })).toMatchObject({ language: 'de', vocabulary: ['Ada', 'Parlance'] });
  });
});
