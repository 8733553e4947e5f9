import { DEFAULT_MODEL, FixtureRecognizer, SpeechEngines, type SpeechRecognizer } from '@parlance/engines';
import { createMetrics, readConfig, silentLogger, systemClock } from '@parlance/platform';
import type { ServiceContext } from '@parlance/runtime';
import { makeApplication } from '@parlance/runtime/process';
import { JobErasure } from '@parlance/stage';
import type { DocumentDatabase, MediaStore } from '@parlance/storage';
import type { TaskQueue } from '@parlance/task-queue';
import { ChunkCheckpoints } from '../src/chunks/chunk-checkpoints.js';
import { ChunkTasks } from '../src/chunks/chunk-tasks.js';
import { JobEvents } from '../src/jobs/job-events.js';
import { manifest } from '../src/service.js';
import { SpeakerAssigner } from '../src/transcript/speaker-assigner.js';
import { TranscriptMerger } from '../src/transcript/transcript-merger.js';
import { TranscriptStore } from '../src/transcript/transcript-store.js';
import { transcriptionConfig } from '../src/transcription.config.js';
import { TranscriptionModule } from '../src/transcription.module.js';

interface ProcessStores {
  documents: DocumentDatabase;
  media: MediaStore;
  tasks: TaskQueue;
  folder: string;
}

/** The service as one of several processes on the same stores, without its consumers and workers, and without other services. */
export async function transcriptionProcess({ folder, ...stores }: ProcessStores, recognizer: SpeechRecognizer = new FixtureRecognizer()) {
  const config = readConfig(transcriptionConfig, { env: { SPEECH_ENGINE_URL: 'fixture:' }, readFile: () => '' });
  const connect = () => ({});
  const context = { name: 'transcription', config, connect, ...stores, clock: systemClock, log: silentLogger(), metrics: createMetrics(), scratchFolder: folder, modelsFolder: folder };
  const module = { module: TranscriptionModule, providers: [{ provide: SpeechEngines, useValue: new SpeechEngines({ model: DEFAULT_MODEL, recognizer }) }] };
  const app = await makeApplication({ ...manifest, module: () => module }, context as unknown as ServiceContext, false);
  return {
    chunkTasks: app.get(ChunkTasks),
    checkpoints: app.get(ChunkCheckpoints),
    erasure: app.get(JobErasure),
    jobEvents: app.get(JobEvents),
    merger: app.get(TranscriptMerger),
    speakers: app.get(SpeakerAssigner),
    transcripts: app.get(TranscriptStore),
    close: () => app.close(),
  };
}
