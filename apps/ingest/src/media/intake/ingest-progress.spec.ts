import { describe, expect, it } from '@jest/globals';
import { IngestProgress } from './ingest-progress.js';

describe('the progress of ingest', () => {
  it('is reported in steps, and at a failure with what was decoded since', async () => {
    const reports: unknown[] = [];
    const progress = new IngestProgress(async (...report) => void reports.push(report));
    const decoding = progress.between(0, 1);
    for (const seconds of [0, 30, 119, 121, 140, 185]) decoding(0, seconds);
    await progress.settled();
    expect(reports).toEqual([[0, 121]]);
    progress.flush();
    progress.flush();
    await progress.settled();
    expect(reports).toEqual([[0, 121], [0, 185]]);
  });
});
