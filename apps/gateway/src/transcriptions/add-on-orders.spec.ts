import { describe, expect, it } from '@jest/globals';
import { ingest, transcription } from '@parlance/contracts';
import { AppError, notFound } from '@parlance/platform';
import { AddOnOrders } from './add-on-orders.js';

const REF = { accountId: 'acc_1', jobId: 'job_1' };
const ORDER = { diarization: false, summary: false, highlights: true, chapters: false, entities: false } as const;

/** @returns the revision that ingest is told while transcription answers so */
async function revisionWith(answer: () => Promise<transcription.ListSpeakersResponse>): Promise<number | undefined> {
  let told: number | undefined;
  const jobs = {
    orderAddOns: async ({ transcriptRevision }: ingest.OrderAddOnsRequest) => {
      told = transcriptRevision;
      return ingest.OrderAddOnsResponse.fromPartial({});
    },
  };
  await new AddOnOrders(jobs, { listSpeakers: answer }).make(REF, ORDER);
  return told;
}

describe('an order of add-ons', () => {
  it('names the present revision of the transcript', async () => {
    expect(await revisionWith(async () => transcription.ListSpeakersResponse.fromPartial({ revision: 3 }))).toBe(3);
    expect(await revisionWith(async () => transcription.ListSpeakersResponse.fromPartial({}))).toBe(0);
  });

  it.each([
    ['has no transcript', notFound('The transcript')],
    ['is away', new AppError({ kind: 'unavailable', code: 'service_unavailable', message: 'away' })],
  ])('is made by what ingest knows when transcription %s', async (_name, error) => {
    expect(await revisionWith(() => Promise.reject(error))).toBe(0);
  });

  it('fails when transcription fails otherwise', async () => {
    await expect(revisionWith(() => Promise.reject(new AppError({ kind: 'internal', code: 'internal', message: 'broken' })))).rejects.toMatchObject({ kind: 'internal' });
  });
});
