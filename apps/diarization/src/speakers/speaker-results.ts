import { Inject, Injectable } from '@nestjs/common';
import { mediaKeys } from '@parlance/contracts';
import { MEDIA_STORE } from '@parlance/runtime';
import type { Holdings, JobRef, JobRun } from '@parlance/stage';
import type { MediaStore } from '@parlance/storage';
import type { SpeakerTurns } from '@parlance/transcript';

/** Stores who speaks when, as objects beside the job's other media. */
@Injectable()
export class SpeakerResults implements Holdings {
  readonly what = 'speakers';
  readonly where = 'diarization';

  constructor(@Inject(MEDIA_STORE) private readonly media: MediaStore) {}

  /** @returns the key. @throws AppError storage_full */
  async put({ jobId, accountId, run }: JobRun, turns: SpeakerTurns['turns']): Promise<string> {
    const key = mediaKeys(accountId, jobId).speakerTurns(run);
    const document: SpeakerTurns = { jobId, turns };
    await this.media.put(key, one(new TextEncoder().encode(JSON.stringify(document))));
    return key;
  }

  async count(job: JobRef): Promise<number> {
    let count = 0;
    for await (const _ of this.media.list(prefixOf(job))) count++;
    return count;
  }

  async remove(job: JobRef): Promise<void> {
    await this.media.removePrefix(prefixOf(job));
  }
}

const prefixOf = ({ jobId, accountId }: JobRef): string => mediaKeys(accountId, jobId).speakersPrefix;

async function* one(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes;
}
