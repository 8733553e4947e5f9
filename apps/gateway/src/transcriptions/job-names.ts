import { common, type JOB_STATUS, type STAGE, type STAGE_STATUS } from '@parlance/contracts';

const { ChannelMode: Mode, JobPriority: Priority } = common;

/** The API's names for channel modes and priorities, as contracts has them for jobs and stages. */
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
