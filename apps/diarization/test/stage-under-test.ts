import { join } from 'node:path';
import { common, events } from '@parlance/contracts';
import type { SpeakerDiarizer } from '@parlance/engines';
import { createMetrics, readConfig, silentLogger, systemClock } from '@parlance/platform';
import { EngineGate, type StageStores, type StageUnderTest } from '@parlance/stage/contract';
import { openMediaStore } from '@parlance/storage';
import { diarizationConfig } from '../src/diarization.config.js';
import { RecordingDiarizer } from '../src/speakers/recording-diarizer.js';
import { SpeakerLedger } from '../src/speakers/speaker-ledger.js';
import { SpeakerMetrics } from '../src/speakers/speaker-metrics.js';
import { SpeakerResults } from '../src/speakers/speaker-results.js';
import { SpeakerStage } from '../src/speakers/speaker-stage.js';
import { SpeakerStages } from '../src/speakers/speaker-stages.js';

const fetched = common.Media.fromPartial({ duration: 8, sha256: 'abc' });

/** The stage diarization, with an engine that the contract controls. The number of speakers in a request identifies its job. */
export async function diarizationUnderTest({ documents, tasks, folder }: StageStores): Promise<StageUnderTest> {
  const engine = new EngineGate();
  const media = await openMediaStore(`file:${join(folder, 'media')}`);
  const results = new SpeakerResults(media);
  const diarizer: SpeakerDiarizer = {
    info: { name: 'gated', overlaps: false },
    async diarize({ signal, maxSpeakers = 0 }) {
      await engine.pass(`job_${maxSpeakers}`, signal);
      return { turns: [{ start: 0, end: 8, speakerId: 'S1' }], speakerCount: 1 };
    },
    check: async () => {},
    close: async () => {},
  };
  const config = readConfig(diarizationConfig, { env: {}, readFile: () => '' });
  const metrics = new SpeakerMetrics(createMetrics());
  const stage = new SpeakerStage(config, new RecordingDiarizer(diarizer, media, results, metrics, systemClock, silentLogger()), metrics);
  return {
    stages: new SpeakerStages(stage, new SpeakerLedger(documents, systemClock), results, tasks, systemClock, silentLogger()),
    definition: stage.definition,
    engine,
    async startEvent(run) {
      const options = common.JobOptions.fromPartial({ diarization: { enabled: true, maxSpeakers: Number(run.jobId.replace('job_', '')) } });
      // Each run has a recording of its own, as what is known of one is not diarized again.
      const media = { ...fetched, sha256: `${run.run}` };
      return { type: 'media.ready', data: events.MediaReady.fromPartial({ ...run, planKey: 'plan.json', media, options }) };
    },
    completedBy: 'diarization.completed',
    count: (job) => results.count(job),
  };
}
