import { summary } from '@parlance/contracts';
import type { Finding, Provenance } from '../engine/summary-engine.js';
import type { WorkDocument, WorkStatus as Status } from '../work/work-document.js';
import type { SpeakerNames } from './speaker-names.js';

const { WorkStatus } = summary;

const STATUS = {
  pending: WorkStatus.WORK_STATUS_PENDING,
  running: WorkStatus.WORK_STATUS_RUNNING,
  completed: WorkStatus.WORK_STATUS_COMPLETED,
  failed: WorkStatus.WORK_STATUS_FAILED,
  skipped: WorkStatus.WORK_STATUS_SKIPPED,
} as const;

export const workStatus = (status: Status): summary.WorkStatus => STATUS[status];

/** The fields that summaries, highlights, chapters and entities have in common. */
export const workMessage = ({ jobId, status, error, result, transcriptRevision = 0 }: WorkDocument<Provenance>, { revision }: Pick<SpeakerNames, 'revision'>) => ({
  jobId,
  status: STATUS[status],
  error,
  language: result?.language ?? '',
  engine: result?.engine ?? '',
  droppedItems: result?.droppedItems ?? 0,
  warnings: result?.warnings ?? [],
  usage: result?.usage,
  ...(result && { revision: transcriptRevision, stale: transcriptRevision < revision }),
});

export const findingMessage = ({ text, evidence }: Finding, names: SpeakerNames): summary.Finding => ({ text: names.in(text), evidence });
