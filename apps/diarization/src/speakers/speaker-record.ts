import type { common } from '@parlance/contracts';
import { formerRun, type StageRecord } from '@parlance/stage';
import type { CollectionDefinition, Document } from '@parlance/storage';

/** Facts that diarization stores of a job besides its runs. */
export interface SpeakerFacts {
  /** The speaker turns. They are made once for a recording and reported to each run. */
  result: SpeakerResult;
}

export interface SpeakerResult {
  /** The hash of the recording that the turns were made from. */
  sha256: string;
  /** The key of the turns in the media store. */
  turnsKey: string;
  speakerCount: number;
  turnCount: number;
  engine: string;
  warnings: common.Warning[];
}

type SpeakerRecord = StageRecord<SpeakerFacts>;

/** Version 1 named its one stage's runs by fields, and kept what media.ready had said. */
interface FirstVersion extends Document {
  accountId: string;
  state: 'active' | 'canceled';
  startedRun: number;
  endedRun: number;
  result?: SpeakerResult;
}

export const JOBS: CollectionDefinition<SpeakerRecord> = {
  name: 'jobs',
  data: { what: 'progress of diarization', purpose: 'to tell speakers apart once', kept: 'with the job' },
  indexes: [],
  schema: { version: 2, upgrade: (document) => upgraded(document as FirstVersion) },
};

const upgraded = ({ id, createdAt, accountId, state, startedRun, endedRun, result }: FirstVersion): SpeakerRecord => ({
  id,
  createdAt,
  accountId,
  state,
  runs: { diarization: formerRun({ started: startedRun, ended: endedRun, isCompleted: result !== undefined }) },
  ...(result && { result }),
});
