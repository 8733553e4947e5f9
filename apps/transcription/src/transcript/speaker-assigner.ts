import { common, events, type NewEvent } from '@parlance/contracts';
import { toAppError, type Logger } from '@parlance/platform';
import { readObject, type MediaStore } from '@parlance/storage';
import { parseSpeakerTurns, speakersOf, type SpeakerTurn } from '@parlance/transcript';
import type { JobLedger } from '../jobs/job-ledger.js';
import type { JobTurns } from '../jobs/job-record.js';
import { speakersChanged } from './speaker-changes.js';
import type { TranscriptDocument } from './transcript-documents.js';
import type { TranscriptStore } from './transcript-store.js';

export interface SpeakerAssignerParts {
  ledger: JobLedger;
  transcripts: TranscriptStore;
  media: MediaStore;
  log: Logger;
}

/** Gives the words their speakers once both are there, whichever comes first; then the diarization stage has ended. */
export class SpeakerAssigner {
  constructor(private readonly parts: SpeakerAssignerParts) {}

  async turnsReady({ jobId, accountId, run, turnsKey, engine, warnings }: events.DiarizationCompleted): Promise<void> {
    await this.parts.ledger.learnTurns({ jobId, accountId }, { run, turnsKey, engine, warnings });
    await this.assignWhenBothAreThere(jobId);
  }

  /** Who writes one of the two looks for the other afterwards, so that none is overlooked; doing it twice does no harm. */
  async assignWhenBothAreThere(jobId: string): Promise<void> {
    const { ledger, transcripts } = this.parts;
    const record = await ledger.get(jobId);
    // Who died while the job was erased, or found a page gone, may have written others.
    if (record?.state === 'deleted') await transcripts.remove(jobId);
    const transcript = await transcripts.get(jobId);
    if (record?.state !== 'active' || !record.turns || !transcript) return;
    if (transcript.turns?.turnsKey === record.turns.turnsKey) await this.tellStage(transcript, record.turns);
    else await this.assign(transcript, record.turns);
    if (await ledger.isDeleted(jobId)) await transcripts.remove(jobId);
  }

  /** For the merge, which does not wait for it: what cannot be read now is tried again once the transcript is there. */
  async readIfPossible({ turnsKey }: JobTurns, jobId: string): Promise<SpeakerTurn[] | undefined> {
    try {
      return await this.read(turnsKey);
    } catch (error) {
      this.parts.log.warn({ job_id: jobId, err: error }, 'turns not read');
      return undefined;
    }
  }

  /** After the last failed try: the transcript stays as it is, without speakers. */
  async giveUp({ jobId, accountId, run }: { jobId: string; accountId: string; run: number }, thrown: unknown): Promise<void> {
    const { code, message, retryable } = toAppError(thrown);
    const failure = code === 'storage_full' ? { code, message, retryable } : ASSIGNMENT_FAILED;
    await this.parts.ledger.failTurns({ jobId, accountId, run }, failure);
  }

  private async read(turnsKey: string): Promise<SpeakerTurn[]> {
    return parseSpeakerTurns(new TextDecoder().decode(await readObject(this.parts.media, turnsKey))).turns;
  }

  private async assign(transcript: TranscriptDocument, turns: JobTurns): Promise<void> {
    const { transcripts, log } = this.parts;
    const spoken = await this.read(turns.turnsKey);
    const segmentCount = await transcripts.assignSpeakers(transcript, spoken);
    const { turnsKey, run } = turns;
    await transcripts.update(transcript.id, (current) => {
      if (current.turns?.turnsKey === turnsKey) return undefined;
      const { merges: _, ...rest } = current;
      const document = { ...rest, turns: { turnsKey, run }, speakers: speakersOf(spoken), segmentCount, version: current.version + 1 };
      const change = speakersChanged(document, events.SpeakersChange.SPEAKERS_CHANGE_FOUND);
      return { document, events: [change, stageCompleted(current, turns)] };
    });
    log.info({ job_id: transcript.id, account_id: transcript.accountId, run, turns: spoken.length, segments: segmentCount }, 'speakers assigned');
  }

  /** A later run of the job asks again for what is there. */
  private async tellStage({ id }: TranscriptDocument, turns: JobTurns): Promise<void> {
    await this.parts.transcripts.update(id, (current) => {
      if (!current.turns || current.turns.run >= turns.run) return undefined;
      return { document: { ...current, turns: { ...current.turns, run: turns.run } }, events: [stageCompleted(current, turns)] };
    });
  }
}

const ASSIGNMENT_FAILED = { code: 'internal', message: 'The words could not be given their speakers.', retryable: true };

/** The end of the diarization stage: from here on the transcript says who speaks. */
export const stageCompleted = ({ id: jobId, accountId }: Pick<TranscriptDocument, 'id' | 'accountId'>, { run, engine, warnings }: JobTurns): NewEvent => ({
  type: 'stage.finished',
  data: { jobId, accountId, run, stage: common.Stage.STAGE_DIARIZATION, status: common.StageStatus.STAGE_STATUS_COMPLETED, engine, warnings },
});
