import { Inject, Injectable } from '@nestjs/common';
import { common, type events } from '@parlance/contracts';
import { CONFIG } from '@parlance/runtime';
import { defineStage, type StageDefinition } from '@parlance/stage';
import { SUMMARY_ENGINE } from '../engine/summary-engine.provider.js';
import type { SummaryEngine } from '../engine/summary-engine.js';
import type { SummaryConfig } from '../summary.config.js';
import { ChaptersWork } from './chapters-work.js';
import { EntitiesWork } from './entities-work.js';
import { HighlightsWork } from './highlights-work.js';
import { StageStarts } from './stage-starts.js';
import type { TranscriptInputs } from './summary-record.js';
import { SummaryWork } from './summary-work.js';
import type { TranscriptWork, WorkKey } from './transcript-work.js';
import { defaultSummaryId } from './work-document.js';

interface WorkStage {
  name: string;
  stage: common.Stage;
  work: Pick<TranscriptWork<never>, 'perform' | 'fail'>;
  isWanted(event: events.TranscriptCompleted): boolean;
  keyOf(job: { jobId: string; accountId: string; run: number }): WorkKey;
}

/** Declares the stages of this service. */
@Injectable()
export class WorkStages {
  readonly definitions: readonly StageDefinition<TranscriptInputs>[];

  constructor(
    @Inject(CONFIG) private readonly config: SummaryConfig,
    @Inject(SUMMARY_ENGINE) private readonly engine: SummaryEngine,
    @Inject(StageStarts) private readonly starts: StageStarts,
    @Inject(SummaryWork) summaries: SummaryWork,
    @Inject(HighlightsWork) highlights: HighlightsWork,
    @Inject(ChaptersWork) chapters: ChaptersWork,
    @Inject(EntitiesWork) entities: EntitiesWork,
  ) {
    const summary = this.stageOf({
      name: 'summary',
      stage: common.Stage.STAGE_SUMMARY,
      work: summaries,
      isWanted: ({ options }) => options?.summary?.enabled ?? false,
      keyOf: ({ jobId, accountId, run }) => ({ id: defaultSummaryId(jobId), jobId, accountId, run }),
    });
    const highlightsStage = this.stageOf({
      name: 'highlights',
      stage: common.Stage.STAGE_HIGHLIGHTS,
      work: highlights,
      isWanted: ({ options }) => options?.highlights ?? false,
      keyOf: ({ jobId, accountId, run }) => ({ id: jobId, jobId, accountId, run }),
    });
    const chaptersStage = this.stageOf({
      name: 'chapters',
      stage: common.Stage.STAGE_CHAPTERS,
      work: chapters,
      isWanted: ({ options }) => options?.chapters ?? false,
      keyOf: ({ jobId, accountId, run }) => ({ id: jobId, jobId, accountId, run }),
    });
    const entitiesStage = this.stageOf({
      name: 'entities',
      stage: common.Stage.STAGE_ENTITIES,
      work: entities,
      isWanted: ({ options }) => options?.entities ?? false,
      keyOf: ({ jobId, accountId, run }) => ({ id: jobId, jobId, accountId, run }),
    });
    this.definitions = [summary, highlightsStage, chaptersStage, entitiesStage];
  }

  private stageOf({ name, stage, work, isWanted, keyOf }: WorkStage): StageDefinition<TranscriptInputs> {
    const { starts } = this;
    return defineStage<TranscriptInputs>({
      name,
      stage,
      engine: this.engine.info.name,
      startsOn: {
        'transcript.completed': (event) => starts.onTranscript(event, isWanted(event)),
        'stage.finished': (event) => starts.onStageFinished(event, stage),
        'stage.requested': (event) => starts.onRequest(event),
      },
      perform: (run, { signal }) => work.perform(keyOf(run), signal),
      failed: (run, failure) => work.fail(keyOf(run), failure),
      ...workLimits(this.config),
    });
  }
}

/** The limits of the stages, and of summaries that are ordered apart from the job. */
export const workLimits = (config: SummaryConfig) => ({
  deadlineMs: config.SUMMARY_TIMEOUT_SECONDS * 1000,
  retry: { maxAttempts: config.SUMMARY_MAX_ATTEMPTS, initialDelayMs: 1000, maxDelayMs: 30_000 },
  capacity: config.SUMMARY_CONCURRENCY,
});
