import { describe, expect, it } from '@jest/globals';
import { ingest, summary } from '@parlance/contracts';
import { createLogger } from '@parlance/platform';
import { LocalService } from '@parlance/runtime/process';
import { documentHead } from './document-head.js';

describe('the head of a document', () => {
  it('has no summary while that cannot be asked for, and the log says why', async () => {
    const lines: string[] = [];
    const log = createLogger({ level: 'info', destination: { write: (line) => void lines.push(line) } });
    const notStarted = new LocalService().port(summary.SummaryServiceDefinition);
    const head = await documentHead(ingest.Job.fromPartial({ jobId: 'job_1' }), { jobId: 'job_1', accountId: 'acc_1' }, notStarted, new AbortController().signal, log);
    expect(head).toMatchObject({ title: 'job_1', sections: [] });
    expect(lines.map((line) => JSON.parse(line) as object)).toMatchObject([{ level: 'warn', job_id: 'job_1', err: { kind: 'unavailable' } }]);
  });
});
