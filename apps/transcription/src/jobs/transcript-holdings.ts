import { Inject, Injectable } from '@nestjs/common';
import type { Holdings, JobRef } from '@parlance/stage';
import { ChunkCheckpoints } from '../chunks/chunk-checkpoints.js';
import { EditedPages } from '../editing/edited-pages.js';
import { TranscriptStore } from '../transcript/transcript-store.js';

/** Counts and removes what an erasure takes. */
@Injectable()
export class TranscriptHoldings implements Holdings {
  readonly what = 'transcript';
  readonly where = 'transcription';

  constructor(
    @Inject(ChunkCheckpoints) private readonly checkpoints: ChunkCheckpoints,
    @Inject(TranscriptStore) private readonly transcripts: TranscriptStore,
    @Inject(EditedPages) private readonly edited: EditedPages,
  ) {}

  async count({ jobId }: JobRef): Promise<number> {
    return (await this.checkpoints.count(jobId)) + (await this.transcripts.count(jobId)) + (await this.edited.count(jobId));
  }

  async remove({ jobId }: JobRef): Promise<void> {
    await this.checkpoints.remove(jobId);
    await this.transcripts.remove(jobId);
    await this.edited.remove(jobId);
  }
}
