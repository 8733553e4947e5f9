import { DocumentWriter } from '@parlance/documents';
import { recognizerFromUrl, type SpeechRecognizer } from '@parlance/engines';
import type { Logger } from '@parlance/platform';
import { RunningTasks, type ServiceContext } from '@parlance/runtime';
import { CHUNKS } from './chunks/chunk-checkpoint.js';
import { ChunkCheckpoints } from './chunks/chunk-checkpoints.js';
import { ChunkMetrics } from './chunks/chunk-metrics.js';
import { ChunkTasks } from './chunks/chunk-tasks.js';
import { ChunkTranscriber } from './chunks/chunk-transcriber.js';
import { PlanReader } from './chunks/plan-reader.js';
import { JobEvents } from './jobs/job-events.js';
import { JobLedger } from './jobs/job-ledger.js';
import { JOBS } from './jobs/job-record.js';
import type { transcriptionConfig } from './transcription-config.js';
import { SpeakerAssigner } from './transcript/speaker-assigner.js';
import { PAGES, TRANSCRIPTS } from './transcript/transcript-documents.js';
import { TranscriptMerger } from './transcript/transcript-merger.js';
import { TranscriptStore } from './transcript/transcript-store.js';

export type TranscriptionContext = Pick<
  ServiceContext<typeof transcriptionConfig>,
  'config' | 'documents' | 'media' | 'clock' | 'log' | 'metrics' | 'scratchFolder' | 'modelsFolder'
>;

/** The service's parts, put together. */
export interface TranscriptionParts {
  config: TranscriptionContext['config'];
  recognizer: SpeechRecognizer;
  checkpoints: ChunkCheckpoints;
  transcripts: TranscriptStore;
  chunkTasks: ChunkTasks;
  merger: TranscriptMerger;
  speakers: SpeakerAssigner;
  jobEvents: JobEvents;
  documents: DocumentWriter;
  log: Logger;
}

/** @throws ConfigError when the engine's URL is wrong. */
export function createParts(context: TranscriptionContext, recognizer = engineOf(context)): TranscriptionParts {
  const { config, documents, media, clock, log } = context;
  const ledger = new JobLedger(documents.collection(JOBS), clock);
  const running = new RunningTasks();
  const plans = new PlanReader(media);
  const checkpoints = new ChunkCheckpoints(documents.collection(CHUNKS), clock);
  const transcripts = new TranscriptStore(documents.collection(TRANSCRIPTS), documents.collection(PAGES), clock);
  const transcriber = new ChunkTranscriber(recognizer, media, clock, config.CHUNK_TIMEOUT_SECONDS * 1000);
  const metrics = new ChunkMetrics(context.metrics);
  const chunkTasks = new ChunkTasks({ ledger, running, plans, transcriber, checkpoints, metrics, log });
  const speakers = new SpeakerAssigner({ ledger, transcripts, media, log });
  const merger = new TranscriptMerger({ ledger, plans, checkpoints, transcripts, speakers, engine: recognizer.info, clock, log });
  const jobEvents = new JobEvents({ ledger, running, checkpoints, transcripts, merger });
  return { config, recognizer, checkpoints, transcripts, chunkTasks, merger, speakers, jobEvents, documents: writerOf(context), log };
}

const writerOf = ({ config, scratchFolder }: TranscriptionContext): DocumentWriter =>
  new DocumentWriter({
    concurrency: config.DOCUMENT_CONCURRENCY,
    patienceMs: config.DOCUMENT_WAIT_SECONDS * 1000,
    scratchFolder,
    spoolBytes: config.DOCUMENT_SPOOL_MAX_BYTES,
  });

const engineOf = ({ config: { SPEECH_ENGINE_URL, SPEECH_ENGINE_API_KEY }, scratchFolder, modelsFolder }: TranscriptionContext): SpeechRecognizer =>
  recognizerFromUrl(SPEECH_ENGINE_URL, {
    temporaryFolder: scratchFolder,
    modelsFolder,
    ...(SPEECH_ENGINE_API_KEY !== undefined && { apiKey: SPEECH_ENGINE_API_KEY }),
  });
