import type { StageRecord } from '@parlance/stage';
import type { CollectionDefinition, Document } from '@parlance/storage';

/** The two inputs of the stages, which become ready in either order: the transcript and its speakers. */
export interface TranscriptInputs {
  /** The newest run whose transcript is there, and whose search for speakers has ended; 0: none. */
  transcriptRun: number;
  speakersRun: number;
}

type SummaryRecord = StageRecord<TranscriptInputs>;

/** Version 1 kept the inputs alone; which runs had begun and ended was in the documents of the work. */
interface FirstVersion extends Document, TranscriptInputs {
  jobId: string;
}

export const JOB_INPUTS: CollectionDefinition<SummaryRecord> = {
  name: 'job_inputs',
  data: { what: 'progress of summaries and highlights', purpose: 'to make each result once', kept: 'with the job' },
  indexes: [],
  schema: { version: 2, upgrade: (document) => upgraded(document as FirstVersion) },
};

const upgraded = ({ id, createdAt, transcriptRun, speakersRun }: FirstVersion): SummaryRecord => ({ id, createdAt, accountId: '', state: 'active', runs: {}, transcriptRun, speakersRun });
