import { ADD_ONS, isAskedFor, isOpenStage, isTerminal, STAGES, type Job } from './job.js';

const INGEST_PERCENT = 10;
const TRANSCRIPTION_PERCENT = 80;
const ADD_ONS_PERCENT = 10;

/**
 * Returns the progress of the job: percent by the weights of its stages, never less than `job.progress.percent`,
 * 100 only when it is completed; the remaining seconds of transcription by the rate of this run's chunks.
 */
export function progressOf(job: Job, now: string): Job['progress'] {
  const open = STAGES.find((name) => isOpenStage(job.stages[name]));
  const stage = open && { stage: open };
  if (job.status === 'completed') return { percent: 100, ...stage };
  if (isTerminal(job.status)) return ended(job.progress);
  const percent = Math.max(job.progress.percent, Math.min(99, percentOf(job)));
  const etaSeconds = job.status === 'processing' ? remainingSeconds(job, now) : undefined;
  return { percent, ...stage, ...(etaSeconds !== undefined && { etaSeconds }) };
}

const ended = ({ percent, stage }: Job['progress']): Job['progress'] => ({ percent, ...(stage && { stage }) });

function percentOf(job: Job): number {
  const addOns = ADD_ONS.filter((name) => isAskedFor(name, job.options));
  const finished = addOns.filter((name) => !isOpenStage(job.stages[name])).length;
  const ingest = INGEST_PERCENT * (job.stages.ingest.status === 'completed' ? 1 : job.ingestPart);
  const addOnPercent = addOns.length === 0 ? 0 : (ADD_ONS_PERCENT * finished) / addOns.length;
  return roundTenth(ingest + TRANSCRIPTION_PERCENT * transcribedPart(job) + addOnPercent);
}

function transcribedPart({ stages, chunks }: Job): number {
  if (stages.transcription.status === 'completed') return 1;
  return chunks.total === 0 ? 0 : chunks.count / chunks.total;
}

function remainingSeconds({ stages, chunks }: Job, now: string): number | undefined {
  const { status, startedAt } = stages.transcription;
  const doneInRun = chunks.count - chunks.countAtStart;
  if (status !== 'running' || startedAt === undefined || doneInRun <= 0) return undefined;
  const elapsed = Math.max(0, (Date.parse(now) - Date.parse(startedAt)) / 1000);
  return Math.round(((chunks.total - chunks.count) * elapsed) / doneInRun);
}

const roundTenth = (value: number): number => Math.round(value * 10) / 10;
