import { Inject, Module, type OnApplicationBootstrap, type OnApplicationShutdown } from '@nestjs/common';
import { summary } from '@parlance/contracts';
import { SpeechEngines, StreamingEngines, warnOfMissingEngine, type Punctuator } from '@parlance/engines';
import type { Logger } from '@parlance/platform';
import { LOGGER, servicePort, SUMMARY_SERVICE } from '@parlance/runtime';
import { ChunkCheckpoints } from './chunks/chunk-checkpoints.js';
import { ChunkMetrics } from './chunks/chunk-metrics.js';
import { ChunkPunctuator } from './chunks/chunk-punctuator.js';
import { ChunkTasks } from './chunks/chunk-tasks.js';
import { ChunkTranscriber } from './chunks/chunk-transcriber.js';
import { ChunkWorker } from './chunks/chunk-worker.js';
import { LiveFinalsReader } from './chunks/live-finals-reader.js';
import { PlanReader } from './chunks/plan-reader.js';
import { PUNCTUATOR, punctuator } from './chunks/punctuator.provider.js';
import { speechEngines } from './chunks/speech-engines.provider.js';
import { EditedPages } from './editing/edited-pages.js';
import { EditedSpeakers } from './editing/edited-speakers.js';
import { InterruptedEdits } from './editing/interrupted-edits.js';
import { RevisionReader } from './editing/revision-reader.js';
import { SpokenTranscripts } from './editing/spoken-transcripts.js';
import { TranscriptEditor } from './editing/transcript-editor.js';
import { ChunksController } from './grpc/chunks.controller.js';
import { EditingController } from './grpc/editing.controller.js';
import { EnginesController } from './grpc/engines.controller.js';
import { ReadingController } from './grpc/reading.controller.js';
import { SpeakersController } from './grpc/speakers.controller.js';
import { TranscriptController } from './grpc/transcript.controller.js';
import { jobEnds } from './jobs/job-ends.provider.js';
import { JobEvents } from './jobs/job-events.js';
import { JobLedger } from './jobs/job-ledger.js';
import { TranscriptHoldings } from './jobs/transcript-holdings.js';
import { FinalWriter } from './live/final-writer.js';
import { liveEngines } from './live/live-engines.provider.js';
import { LiveController } from './live/live.controller.js';
import { LiveMetrics } from './live/live-metrics.js';
import { LiveRecognizer } from './live/live-recognizer.js';
import { LiveStreams } from './live/live-streams.js';
import { documentWriter } from './transcript/document-writer.provider.js';
import { ModelNames } from './transcript/model-names.js';
import { RedactedCheckpoints } from './transcript/redacted-checkpoints.js';
import { Redactions } from './transcript/redactions.js';
import { SpeakerAssigner } from './transcript/speaker-assigner.js';
import { TranscriptAssembler } from './transcript/transcript-assembler.js';
import { TranscriptMerger } from './transcript/transcript-merger.js';
import { TranscriptStore } from './transcript/transcript-store.js';
import { TranscriptionConsumers } from './transcription.consumers.js';

const CHUNK_PROVIDERS = [speechEngines, ChunkCheckpoints, ChunkMetrics, ChunkPunctuator, ChunkTasks, ChunkTranscriber, ChunkWorker, LiveFinalsReader, PlanReader, punctuator];
const EDITING_PROVIDERS = [EditedPages, EditedSpeakers, InterruptedEdits, RevisionReader, SpokenTranscripts, TranscriptEditor];
const JOB_PROVIDERS = [...jobEnds, JobEvents, JobLedger, TranscriptHoldings];
const LIVE_PROVIDERS = [FinalWriter, liveEngines, LiveMetrics, LiveRecognizer, LiveStreams];
const TRANSCRIPT_PROVIDERS = [documentWriter, ModelNames, RedactedCheckpoints, Redactions, SpeakerAssigner, TranscriptAssembler, TranscriptMerger, TranscriptStore];

@Module({
  controllers: [TranscriptController, ChunksController, EnginesController, ReadingController, SpeakersController, EditingController, LiveController],
  providers: [...CHUNK_PROVIDERS, ...EDITING_PROVIDERS, ...JOB_PROVIDERS, ...LIVE_PROVIDERS, ...TRANSCRIPT_PROVIDERS, TranscriptionConsumers, servicePort(SUMMARY_SERVICE, 'summary', summary.SummaryServiceDefinition)],
})
export class TranscriptionModule implements OnApplicationBootstrap, OnApplicationShutdown {
  constructor(
    @Inject(SpeechEngines) private readonly engines: SpeechEngines,
    @Inject(StreamingEngines) private readonly liveEngines: StreamingEngines,
    @Inject(PUNCTUATOR) private readonly punctuator: Punctuator,
    @Inject(LOGGER) private readonly log: Logger,
  ) {}

  async onApplicationBootstrap(): Promise<void> {
    await Promise.all([...this.engines.all().map(({ recognizer }) => warnOfMissingEngine(recognizer, this.log)), warnOfMissingEngine(this.punctuator, this.log, 'rules write punctuation')]);
  }

  async onApplicationShutdown(): Promise<void> {
    await Promise.all([this.engines.close(), this.liveEngines.close(), this.punctuator.close()]);
  }
}
