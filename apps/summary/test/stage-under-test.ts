import { common, events, ingest, transcription, transcripts, type EventData } from '@parlance/contracts';
import { createMetrics, readConfig, silentLogger, systemClock, type Clock } from '@parlance/platform';
import type { ServiceContext } from '@parlance/runtime';
import { makeApplication } from '@parlance/runtime/process';
import { EngineGate, type StageStores, type StageUnderTest } from '@parlance/stage/contract';
import type { ChaptersResult, FoundEntities, HighlightsResult, SummaryEngine, SummaryResult, TranscriptText } from '../src/engine/summary-engine.js';
import { SUMMARY_ENGINE } from '../src/engine/summary-engine.provider.js';
import { manifest } from '../src/service.js';
import { summaryConfig } from '../src/summary.config.js';
import { SummaryModule } from '../src/summary.module.js';
import { SummaryStages } from '../src/work/summary-stages.js';
import { WorkDocuments } from '../src/work/work-documents.js';

type WorkStage = common.Stage.STAGE_SUMMARY | common.Stage.STAGE_HIGHLIGHTS | common.Stage.STAGE_CHAPTERS | common.Stage.STAGE_ENTITIES;

/** The service without its consumers and workers, with an engine that the test controls. */
export function summaryApplication({ documents, tasks }: Pick<StageStores, 'documents' | 'tasks'>, engine: EngineGate, clock: Clock = systemClock) {
  const config = readConfig(summaryConfig, { env: {}, readFile: () => '' });
  const context = { name: 'summary', config, documents, tasks, clock, log: silentLogger(), metrics: createMetrics(), connect: (service: string) => (service === 'ingest' ? JOBS : TRANSCRIPTS) };
  const module = { module: SummaryModule, providers: [{ provide: SUMMARY_ENGINE, useValue: gated(engine) }] };
  return makeApplication({ ...manifest, module: () => module }, context as unknown as ServiceContext, false);
}

/** One of the stages of this service, with an engine that the contract controls. The transcript of a job is its id. */
export const summaryUnderTest =
  (stage: WorkStage) =>
  async ({ documents, tasks }: StageStores): Promise<StageUnderTest> => {
    const engine = new EngineGate();
    const app = await summaryApplication({ documents, tasks }, engine);
    const [stages, work] = [app.get(SummaryStages), app.get(WorkDocuments)];
    const definition = stages.definitions.find((each) => each.stage === stage);
    if (!definition) throw new Error('there is no such stage');
    const options = common.JobOptions.fromPartial(OPTIONS[stage]);
    return {
      stages,
      definition,
      engine,
      startEvent: async (run) => ({ type: 'transcript.completed', data: events.TranscriptCompleted.fromPartial({ ...run, options }) as EventData<'transcript.completed'> }),
      count: async ({ jobId }) => (await work.summaries.count({ jobId })) + (await work.highlights.count({ jobId })) + (await work.chapters.count({ jobId })) + (await work.entities.count({ jobId })),
      close: () => app.close(),
    };
  };

const OPTIONS = {
  [common.Stage.STAGE_SUMMARY]: { summary: { enabled: true } },
  [common.Stage.STAGE_HIGHLIGHTS]: { highlights: true },
  [common.Stage.STAGE_CHAPTERS]: { chapters: true },
  [common.Stage.STAGE_ENTITIES]: { entities: true },
} as const;

const PROVENANCE = { language: 'en', engine: 'gated', droppedItems: 0, warnings: [] };

function gated(engine: EngineGate): SummaryEngine {
  const pass = ({ lines }: TranscriptText, signal: AbortSignal) => engine.pass(lines[0]?.text ?? '', signal);
  return {
    info: { name: 'gated', languages: [] },
    async summarize(transcript, _request, signal): Promise<SummaryResult> {
      await pass(transcript, signal);
      return { ...PROVENANCE, text: 'In short.', actionItems: [], keyDecisions: [], insights: [] };
    },
    async highlight(transcript, signal): Promise<HighlightsResult> {
      await pass(transcript, signal);
      return { ...PROVENANCE, keyMoments: [], quotes: [], insights: [], topics: [] };
    },
    async divide(transcript, signal): Promise<ChaptersResult> {
      await pass(transcript, signal);
      return { ...PROVENANCE, chapters: [] };
    },
    async findEntities(transcript, signal): Promise<FoundEntities> {
      await pass(transcript, signal);
      return { ...PROVENANCE, method: 'rules', entities: [] };
    },
    close: async () => {},
  };
}

const JOBS = { getJob: async ({ jobId, accountId }: ingest.GetJobRequest) => ({ job: ingest.Job.fromPartial({ jobId, accountId, run: 1 }) }) };

const TRANSCRIPTS = {
  async *getTranscript({ jobId }: transcription.GetTranscriptRequest) {
    const header = transcription.TranscriptHeader.fromPartial({ language: 'en', version: 1 });
    yield { header, segments: [transcripts.Segment.fromPartial({ segmentId: 'seg_000001', text: jobId })] };
  },
  listSpeakers: async () => ({ speakers: [], version: 1, merges: {} }),
};
