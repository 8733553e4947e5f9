import { describe, expect, it } from '@jest/globals';
import { diarization, gateway, health, ingest, search, summary, transcription, webhook } from '@parlance/contracts';
import { IDEMPOTENT_READS } from './idempotent-reads.js';

const SERVICES = [
  ingest.JobServiceService,
  transcription.TranscriptServiceService,
  diarization.DiarizationServiceService,
  summary.SummaryServiceService,
  search.SearchServiceService,
  webhook.WebhookServiceService,
  gateway.AccountServiceService,
  health.HealthService,
];

describe('the calls that are tried again', () => {
  const known: string[] = SERVICES.flatMap((service) => Object.values(service).map(({ path }) => path as string));
  const listed = Object.entries(IDEMPOTENT_READS).flatMap(([service, methods]) => methods.map((method) => `/${service}/${method}`));

  it('exist', () => {
    expect(listed.filter((path) => !known.includes(path))).toEqual([]);
  });

  it('are those that only read, as their names say', () => {
    const reads = known.filter((path) => /\/(Get|List|Render|Check|Search)\w*$/.test(path));
    expect(listed.toSorted()).toEqual(reads.toSorted());
  });
});
