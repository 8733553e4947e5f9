import { common, ingest, transcription } from '@parlance/contracts';
import { languageModelFromUrl } from '@parlance/engines';
import { JobErasures, RunningTasks, type ServiceContext } from '@parlance/runtime';
import type { DocumentCollection } from '@parlance/storage';
import type { SummaryEngine } from './engine/summary-engine.js';
import { ThreadedExtractiveEngine } from './extractive/threaded-extractive-engine.js';
import { LanguageModelEngine } from './language-model/language-model-engine.js';
import { summaryRequestOf } from './summaries/requested-summary.js';
import { SpeakerChanges } from './speakers/speaker-changes.js';
import { SummaryOrders } from './summaries/summary-orders.js';
import type { summaryConfig } from './summary-config.js';
import { TranscriptSource } from './transcripts/transcript-source.js';
import { JOB_INPUTS, JobInputs } from './work/job-inputs.js';
import { StageReports } from './work/stage-reports.js';
import { Stages } from './work/stages.js';
import { TranscriptWork, type TranscriptWorkParts } from './work/transcript-work.js';
import { HIGHLIGHTS, SUMMARIES, defaultSummaryId, type HighlightsDocument, type SummaryDocument } from './work/work-document.js';
import { WorkMetrics } from './work/work-metrics.js';

export type SummaryContext = ServiceContext<typeof summaryConfig>;

/** The service's parts, put together. */
export interface SummaryParts {
  config: SummaryContext['config'];
  engine: SummaryEngine;
  source: TranscriptSource;
  stages: Stages;
  orders: SummaryOrders;
  speakerChanges: SpeakerChanges;
  erasures: JobErasures;
  running: RunningTasks;
  documents: Pick<ReturnType<typeof collections>, 'summaries' | 'highlights'>;
}

const collections = ({ documents }: Pick<SummaryContext, 'documents'>) => ({
  summaries: documents.collection<SummaryDocument>(SUMMARIES),
  highlights: documents.collection<HighlightsDocument>(HIGHLIGHTS),
  inputs: documents.collection(JOB_INPUTS),
});

/** @throws ConfigError when the language model's URL is wrong */
export function createParts(context: SummaryContext, engine = engineOf(context)): SummaryParts {
  const { config, clock, log } = context;
  const stored = collections(context);
  const { summaries, highlights, inputs } = stored;
  const erasures = new JobErasures(context.name, context.documents, holdingsOf(stored), clock);
  const source = new TranscriptSource(
    context.connect('transcription', transcription.TranscriptServiceClient),
    context.connect('ingest', ingest.JobServiceClient),
  );
  const running = new RunningTasks();
  const speakerChanges = new SpeakerChanges({ summaries, highlights, source });
  const keepUp: Shared['keepUp'] = (ref, signal) => speakerChanges.keepUp(ref, signal);
  const timeoutMs = config.SUMMARY_TIMEOUT_SECONDS * 1000;
  const shared = { keepUp, source, erasures, running, timeoutMs, metrics: new WorkMetrics(context.metrics), clock, log };
  const stages = new Stages({
    summaries: summaryWork(shared, engine, summaries, common.Stage.STAGE_SUMMARY),
    highlights: highlightsWork(shared, engine, highlights),
    inputs: new JobInputs(inputs, erasures, clock),
    source,
  });
  const orders = new SummaryOrders({ summaries, work: summaryWork(shared, engine, summaries, undefined), source, erasures, clock });
  return { config, engine, source, stages, orders, speakerChanges, erasures, running, documents: { summaries, highlights } };
}

/** What an erasure takes and counts. */
const holdingsOf = ({ summaries, highlights, inputs }: ReturnType<typeof collections>) => ({
  what: 'summaries',
  count: async (jobId: string) => (await summaries.count({ jobId })) + (await highlights.count({ jobId })),
  remove: async (jobId: string) => {
    for (const documents of [summaries, highlights, inputs]) await documents.removeWhere({ jobId });
  },
});

/** What all work is done with. */
type Shared = Pick<TranscriptWorkParts<SummaryDocument>, 'keepUp' | 'source' | 'erasures' | 'running' | 'timeoutMs' | 'metrics' | 'clock' | 'log'>;

/** @param stage none for summaries that are asked for apart from the job */
const summaryWork = (shared: Shared, engine: SummaryEngine, documents: DocumentCollection<SummaryDocument>, stage: common.Stage | undefined) =>
  new TranscriptWork<SummaryDocument>({
    ...shared,
    name: 'summary',
    documents,
    create: (key, createdAt, job) => ({ ...newWork(key, createdAt), isDefault: key.id === defaultSummaryId(key.jobId), request: summaryRequestOf(job?.options?.summary) }),
    make: (transcript, { request }, signal) => engine.summarize(transcript, request, signal),
    reports: new StageReports(stage, engine.info.name),
  });

const highlightsWork = (shared: Shared, engine: SummaryEngine, documents: DocumentCollection<HighlightsDocument>) =>
  new TranscriptWork<HighlightsDocument>({
    ...shared,
    name: 'highlights',
    documents,
    create: newWork,
    make: (transcript, _document, signal) => engine.highlight(transcript, signal),
    reports: new StageReports(common.Stage.STAGE_HIGHLIGHTS, engine.info.name),
  });

const newWork = ({ id, jobId, accountId }: { id: string; jobId: string; accountId: string }, createdAt: string) =>
  ({ id, createdAt, jobId, accountId, status: 'pending', run: 0, endedRun: 0 }) as const;

function engineOf({ config: { LANGUAGE_MODEL_URL, LANGUAGE_MODEL_API_KEY } }: SummaryContext): SummaryEngine {
  const model = languageModelFromUrl(LANGUAGE_MODEL_URL, { apiKey: LANGUAGE_MODEL_API_KEY });
  return model ? new LanguageModelEngine(model) : new ThreadedExtractiveEngine();
}
