import { Inject, Injectable } from '@nestjs/common';
import { mediaKeys } from '@parlance/contracts';
import { MEDIA_STORE } from '@parlance/runtime';
import type { MediaStore } from '@parlance/storage';
import { invalidState } from '../jobs/state/job-draft.js';
import { isTerminal, type Job } from '../jobs/state/job.js';
import { JobResults } from './job-results.js';
import { sealForKey } from './seal-for-key.js';

/** The results of sealed jobs, as compact JWE in the media store. */
@Injectable()
export class SealedResults {
  constructor(
    @Inject(JobResults) private readonly results: Pick<JobResults, 'json'>,
    @Inject(MEDIA_STORE) private readonly store: Pick<MediaStore, 'put' | 'get'>,
  ) {}

  /** Seals what the stages have made. Made again, it takes the place of the one before. */
  async make(job: Job, signal: AbortSignal): Promise<void> {
    const jwe = await sealForKey(await this.results.json(job, signal), job.options.resultKey ?? '');
    signal.throwIfAborted();
    await this.store.put(mediaKeys(job.accountId, job.id).sealedResult, one(Buffer.from(jwe)), { signal });
  }

  /** @throws AppError invalid_state while there is none, or when there will be none */
  read(job: Job): Promise<AsyncIterable<Uint8Array>> {
    if (!job.isSealed) throw invalidState('not_requested', 'The job was created without a result_key; its results are not sealed.');
    if (job.status === 'completed') return this.store.get(mediaKeys(job.accountId, job.id).sealedResult);
    if (isTerminal(job.status)) throw invalidState('no_transcript', `The job is ${job.status}; there is nothing to seal.`);
    throw Object.assign(invalidState('not_ready', 'The results are sealed once every stage has ended.'), { retryable: true });
  }
}

async function* one(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes;
}
