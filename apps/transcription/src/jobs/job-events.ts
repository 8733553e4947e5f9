import type { events } from '@parlance/contracts';
import type { Delivery, EventEnvelope } from '@parlance/event-bus';
import type { RunningTasks } from '@parlance/runtime';
import type { ChunkCheckpoints } from '../chunks/chunk-checkpoints.js';
import type { TranscriptMerger } from '../transcript/transcript-merger.js';
import type { TranscriptStore } from '../transcript/transcript-store.js';
import type { JobLedger } from './job-ledger.js';

export interface JobEventsParts {
  ledger: JobLedger;
  running: RunningTasks;
  checkpoints: ChunkCheckpoints;
  transcripts: TranscriptStore;
  merger: TranscriptMerger;
}

/** What the fate of a job means for its chunks and its transcript. */
export class JobEvents {
  constructor(private readonly parts: JobEventsParts) {}

  /** In every process, at once: whatever runs for the job stops, the engine's process included. */
  stop({ data }: EventEnvelope<'job.canceled' | 'job.deleted'>): void {
    this.parts.running.stop(data.jobId);
  }

  async canceled({ event: { data } }: Delivery<'job.canceled'>): Promise<void> {
    await this.parts.ledger.cancel(data);
    this.parts.running.stop(data.jobId);
  }

  /** The tombstone comes first, so that work in flight removes what it may still write. */
  async deleted({ event: { data } }: Delivery<'job.deleted'>): Promise<void> {
    const { ledger, running, checkpoints, transcripts } = this.parts;
    await ledger.delete(data);
    running.stop(data.jobId);
    const count = (await checkpoints.remove(data.jobId)) + (await transcripts.remove(data.jobId));
    if (data.erasureId !== undefined) await ledger.reportErasure(data, data.erasureId, count);
  }

  async mediaReady({ event: { data } }: Delivery<'media.ready'>): Promise<void> {
    const { ledger, merger } = this.parts;
    await ledger.learnMedia(data, mediaOf(data));
    await merger.mergeWhenComplete(data);
  }
}

const mediaOf = ({ run, planKey, chunksTotal, media, options }: events.MediaReady) => ({
  run,
  planKey,
  chunksTotal,
  duration: media?.duration ?? 0,
  options,
});
