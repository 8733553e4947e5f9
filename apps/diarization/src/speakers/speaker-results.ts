import type { SpeakerTurns } from '@parlance/transcript';
import type { MediaStore } from '@parlance/storage';
import type { JobRun } from '../jobs/job-ledger.js';

/** Who speaks when, as objects beside the job's other media. */
export class SpeakerResults {
  constructor(private readonly media: MediaStore) {}

  /** @returns the key. @throws AppError storage_full */
  async put({ jobId, accountId, run }: JobRun, turns: SpeakerTurns['turns']): Promise<string> {
    const key = `${prefixOf({ jobId, accountId })}${run}.json`;
    const document: SpeakerTurns = { jobId, turns };
    await this.media.put(key, one(new TextEncoder().encode(JSON.stringify(document))));
    return key;
  }

  async count(job: { jobId: string; accountId: string }): Promise<number> {
    let count = 0;
    for await (const _ of this.media.list(prefixOf(job))) count++;
    return count;
  }

  async remove(job: { jobId: string; accountId: string }): Promise<void> {
    await this.media.removePrefix(prefixOf(job));
  }
}

const prefixOf = ({ jobId, accountId }: { jobId: string; accountId: string }): string => `${accountId}/${jobId}/speakers/`;

async function* one(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes;
}
