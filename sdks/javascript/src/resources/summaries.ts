import type { CallOptions } from '../options.js';
import { Pages } from '../pages.js';
import type { Query, Schemas, Summary } from '../schemas.js';
import { path, type Transport } from '../transport.js';

export class Summaries {
  constructor(private readonly transport: Transport) {}

  /** The summary that the job itself has. */
  default(jobId: string, options?: CallOptions): Promise<Summary> {
    return this.transport.json({ method: 'GET', path: path`/transcriptions/${jobId}/summary` }, options);
  }

  /** Orders a further summary. Read it with `get` and `wait`. */
  create(jobId: string, summary: Schemas['NewSummary'] = {}, options?: CallOptions): Promise<Schemas['AcceptedSummary']> {
    return this.transport.json({ method: 'POST', path: path`/transcriptions/${jobId}/summaries`, json: summary }, options);
  }

  /** With `wait`, the server holds its answer for so many seconds until the summary has ended. */
  get(jobId: string, summaryId: string, query: Query<'getOneSummary'> = {}, options?: CallOptions): Promise<Summary> {
    return this.transport.json({ method: 'GET', path: path`/transcriptions/${jobId}/summaries/${summaryId}`, query, heldMs: (query.wait ?? 0) * 1000 }, options);
  }

  list(jobId: string, options?: CallOptions): Pages<Summary> {
    return new Pages((cursor) => this.transport.json<Schemas['SummaryPage']>({ method: 'GET', path: path`/transcriptions/${jobId}/summaries`, query: { cursor } }, options));
  }

  delete(jobId: string, summaryId: string, options?: CallOptions): Promise<void> {
    return this.transport.json({ method: 'DELETE', path: path`/transcriptions/${jobId}/summaries/${summaryId}` }, options);
  }
}
