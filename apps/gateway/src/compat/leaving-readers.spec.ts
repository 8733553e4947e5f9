import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { transcription, transcripts } from '@parlance/contracts';
import { eventually } from '@parlance/testing';
import { GatewayHarness } from '../../test/gateway-harness.js';
import { completed } from '../../test/job-messages.js';

let gateway: GatewayHarness;
beforeAll(async () => {
  gateway = await GatewayHarness.start();
});
afterAll(() => gateway[Symbol.asyncDispose]());

it.each(['/api/v1/transcriptions/{id}?include=words', ...['', '/sentences', '/word-search?words=a'].map((path) => `/compat/assemblyai/v2/transcript/{id}${path}`)])('the transcript is read no further once the client of %s has left', async (path) => {
  const jobId = await gateway.submit();
  gateway.services.change(jobId, completed);
  const segment = transcripts.Segment.fromPartial({ segmentId: 'seg_000001', text: 'one', words: [{ text: 'one', end: 1 }], end: 1 });
  gateway.services.transcripts.set(jobId, { header: transcription.TranscriptHeader.fromPartial({ language: 'en' }), pages: [[segment], [segment]] });
  let [reads, ended] = [0, 0];
  gateway.services.afterPage = async (signal) => {
    reads += 1;
    await new Promise<void>((resolve) => signal?.addEventListener('abort', () => resolve()));
    ended += 1;
  };
  const leaving = new AbortController();
  const answer = gateway.fetch(path.replace('{id}', jobId), { signal: leaving.signal }).then((response) => response.text());
  await eventually('the transcript to be read', async () => reads > 0);
  leaving.abort();
  await expect(answer).rejects.toThrow();
  await eventually('the reads to end', async () => ended === reads);
});
