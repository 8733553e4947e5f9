import type { CallOptions } from '../options.js';
import type { Schemas } from '../schemas.js';
import { path, type Transport } from '../transport.js';
import { Pages } from '../pages.js';

type Speaker = Schemas['Speaker'];

export class Speakers {
  constructor(private readonly transport: Transport) {}

  list(jobId: string, options?: CallOptions): Pages<Speaker> {
    return new Pages((cursor) => this.transport.json<Schemas['SpeakerPage']>({ method: 'GET', path: path`/transcriptions/${jobId}/speakers`, query: { cursor } }, options));
  }

  /** Changes the name in transcript, captions and search. */
  rename(jobId: string, speakerId: string, name: string, options?: CallOptions): Promise<Speaker> {
    return this.transport.json({ method: 'PATCH', path: path`/transcriptions/${jobId}/speakers/${speakerId}`, json: { name } }, options);
  }

  /** Makes one speaker of two. */
  merge(jobId: string, merge: Schemas['SpeakerMerge'], options?: CallOptions): Promise<Schemas['SpeakerPage']> {
    return this.transport.json({ method: 'POST', path: path`/transcriptions/${jobId}/speakers/merge`, json: merge }, options);
  }
}
