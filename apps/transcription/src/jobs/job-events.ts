import { Inject, Injectable } from '@nestjs/common';
import type { events } from '@parlance/contracts';
import type { Delivery } from '@parlance/event-bus';
import { TASK_QUEUE } from '@parlance/runtime';
import { isWanted, taskGroup } from '@parlance/stage';
import type { TaskQueue } from '@parlance/task-queue';
import { chunkQueue, chunkTask } from '../chunks/chunk-task.js';
import { ChunkCheckpoints } from '../chunks/chunk-checkpoints.js';
import { PlanReader } from '../chunks/plan-reader.js';
import { TranscriptMerger } from '../transcript/transcript-merger.js';
import { JobLedger } from './job-ledger.js';
import { TRANSCRIPTION, type JobMedia } from './job-record.js';

/** Starts the transcription of a run: its chunks become tasks when its media are ready. */
@Injectable()
export class JobEvents {
  constructor(
    @Inject(JobLedger) private readonly ledger: JobLedger,
    @Inject(TASK_QUEUE) private readonly tasks: TaskQueue,
    @Inject(PlanReader) private readonly plans: PlanReader,
    @Inject(TranscriptMerger) private readonly merger: TranscriptMerger,
    @Inject(ChunkCheckpoints) private readonly checkpoints: ChunkCheckpoints,
  ) {}

  async mediaReady({ event: { data } }: Delivery<'media.ready'>): Promise<void> {
    const media = mediaOf(data);
    let isRepeated = false;
    await this.ledger.learn(data, ({ media: known }) => {
      isRepeated = known?.run === media.run;
      return known && known.run >= media.run ? undefined : { media };
    });
    if (isRepeated && (await this.reportAgain(data))) return;
    await this.addChunks(data);
    await this.merger.mergeWhenComplete(data);
  }

  /** Ingest received no report of the run for some time: the end of it may be lost. @returns whether the run is completed */
  private async reportAgain(ready: events.MediaReady): Promise<boolean> {
    if (await this.merger.reportAgain(ready)) return true;
    await this.checkpoints.reportFailuresAgain(ready);
    await this.ledger.reportAgain(TRANSCRIPTION, ready);
    return false;
  }

  /**
   * Adds a task for each chunk of the run. A chunk that is transcribed already is only reported again. A cancellation stores its record
   * before it removes tasks, and this method adds tasks before it reads the record, so that one of the two sees the other.
   */
  private async addChunks(ready: events.MediaReady): Promise<void> {
    const { jobId, accountId, run, planKey, options } = ready;
    const queue = chunkQueue(options?.model);
    if (!(await this.isWanted(ready))) return;
    const { chunks } = await this.plans.read(planKey, run);
    await this.tasks.add(queue, chunks.map((chunk, index) => chunkTask({ jobId, accountId, run, index, total: chunks.length, planKey }, chunk, options)));
    if (!(await this.isWanted(ready))) await this.tasks.removeGroup(queue, taskGroup(ready));
  }

  private async isWanted({ jobId, run }: events.MediaReady): Promise<boolean> {
    const record = await this.ledger.get(jobId);
    return record !== undefined && isWanted(record, run);
  }
}

const mediaOf = ({ run, planKey, chunksTotal, media, options }: events.MediaReady): JobMedia => ({
  run,
  planKey,
  chunksTotal,
  duration: media?.duration ?? 0,
  options,
});
