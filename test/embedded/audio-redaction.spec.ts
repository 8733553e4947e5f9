import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { eventually, filesBelow, NO_ADD_ONS, ParlanceProcess, SAMPLES, SpeechServer } from '@parlance/testing';

const REDACTION = JSON.stringify({ policies: ['card_number'], audio: 'beep' });
const NEEDLE_BYTES = 24;

describe('a recording whose words are redacted', () => {
  it.each(['off', 'on'])('is all that is left, also after kill -9 in the middle, with MEDIA_ENCRYPTION=%s', async (encryption) => {
    await using server = await SpeechServer.start(() => 'The card is 4111 1111 1111 1111.');
    const parlance = await ParlanceProcess.start({ env: { SPEECH_ENGINE_URL: server.url, MEDIA_ENCRYPTION: encryption } });
    try {
      const jobId = await parlance.api.upload(SAMPLES.meeting.path, { ...NO_ADD_ONS, redaction: REDACTION });
      const stage = async () => ((await parlance.api.job(jobId)) as unknown as { stages: Record<string, { status: string; attempts: number }> }).stages['audio_redaction'];
      await eventually('the redaction to begin', async () => (await stage())?.status !== 'pending');
      await parlance.kill();
      await parlance.restart();
      expect((await parlance.api.terminal(jobId)).status).toBe('completed');
      expect(await stage()).toMatchObject({ status: 'completed' });
      const response = await parlance.api.request('GET', `/transcriptions/${jobId}/media`);
      expect([response.status, response.headers.get('content-type')]).toEqual([200, 'audio/ogg']);

      const original = await readFile(SAMPLES.meeting.path);
      const needles = [0.1, 0.5, 0.9].map((part) => original.subarray(Math.floor(original.length * part)).subarray(0, NEEDLE_BYTES));
      const folder = join(parlance.dataFolder, 'media');
      await eventually('the original and its chunks to be gone', async () => {
        const files = await filesBelow(folder);
        const bytes = await Promise.all(files.map((file) => readFile(file).catch(() => Buffer.alloc(0))));
        return !files.some((file) => file.includes('/source') || file.includes('/audio/')) && !bytes.some((each) => needles.some((needle) => each.includes(needle)));
      });
    } finally {
      await parlance.dispose();
    }
  });
});
