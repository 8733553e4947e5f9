import { common } from '@parlance/contracts';

const { ChannelMode: Mode, JobPriority: Priority, JobStatus: Status, Stage, StageStatus: State } = common;

/** The API's names for the states of a job and its stages, by the services' names. */
export const JOB_STATUS = {
  queued: Status.JOB_STATUS_QUEUED,
  processing: Status.JOB_STATUS_PROCESSING,
  completed: Status.JOB_STATUS_COMPLETED,
  failed: Status.JOB_STATUS_FAILED,
  canceled: Status.JOB_STATUS_CANCELED,
} as const;

export const STAGE = {
  ingest: Stage.STAGE_INGEST,
  transcription: Stage.STAGE_TRANSCRIPTION,
  diarization: Stage.STAGE_DIARIZATION,
  summary: Stage.STAGE_SUMMARY,
  highlights: Stage.STAGE_HIGHLIGHTS,
  chapters: Stage.STAGE_CHAPTERS,
  entities: Stage.STAGE_ENTITIES,
  search: Stage.STAGE_SEARCH,
} as const;

export const STAGE_STATUS = {
  pending: State.STAGE_STATUS_PENDING,
  running: State.STAGE_STATUS_RUNNING,
  completed: State.STAGE_STATUS_COMPLETED,
  failed: State.STAGE_STATUS_FAILED,
  skipped: State.STAGE_STATUS_SKIPPED,
  canceled: State.STAGE_STATUS_CANCELED,
} as const;

export const CHANNEL_MODE = {
  mix: Mode.CHANNEL_MODE_MIX,
  split: Mode.CHANNEL_MODE_SPLIT,
  auto: Mode.CHANNEL_MODE_AUTO,
} as const;

export const PRIORITY = {
  normal: Priority.JOB_PRIORITY_NORMAL,
  batch: Priority.JOB_PRIORITY_BATCH,
} as const;

export type JobStatus = keyof typeof JOB_STATUS;
export type StageName = keyof typeof STAGE;
export type StageStatus = keyof typeof STAGE_STATUS;

/** The names in the order of the table. */
export const namesOf = <Name extends string>(table: Record<Name, string>) => Object.keys(table) as Name[];

/** From the services' word to the API's; undefined for one that the API does not have. */
export function namesByMessage<Name extends string>(table: Record<Name, string>): (message: string) => Name | undefined {
  const names = new Map(namesOf(table).map((name) => [table[name] as string, name]));
  return (message) => names.get(message);
}
