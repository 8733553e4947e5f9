import { Inject, Injectable } from '@nestjs/common';
import { common, events, type NewEvent } from '@parlance/contracts';
import { toAppError, type Logger } from '@parlance/platform';
import { LOGGER, MEDIA_STORE } from '@parlance/runtime';
import { JobErasure, type JobRef, type JobRun } from '@parlance/stage';
import { readObject, type MediaStore } from '@parlance/storage';
import { parseSpeakerTurns, speakersOf, type SpeakerTurn } from '@parlance/transcript';
import { EditedSpeakers } from '../editing/edited-speakers.js';
import { JobLedger } from '../jobs/job-ledger.js';
import { DIARIZATION, type JobTurns } from '../jobs/job-record.js';
import { PagesOvertaken } from './page-inputs.js';
import { speakersChanged } from './speaker-changes.js';
import type { TranscriptDocument } from './transcript-documents.js';
import { TranscriptStore } from './transcript-store.js';

/** Gives the words their speakers once both are there, whichever comes first; then the diarization stage has ended. */
@Injectable()
export class SpeakerAssigner {
  constructor(
    @Inject(JobLedger) private readonly ledger: JobLedger,
    @Inject(JobErasure) private readonly erasure: JobErasure,
    @Inject(TranscriptStore) private readonly transcripts: TranscriptStore,
    @Inject(EditedSpeakers) private readonly edited: EditedSpeakers,
    @Inject(MEDIA_STORE) private readonly media: MediaStore,
    @Inject(LOGGER) private readonly log: Logger,
  ) {}

  async turnsReady({ jobId, accountId, run, turnsKey, engine, warnings }: events.DiarizationCompleted): Promise<void> {
    const turns = { run, turnsKey, engine, warnings };
    let isRepeated = false;
    await this.ledger.learn({ jobId, accountId }, (known) => {
      isRepeated = known.turns?.run === run;
      return known.turns && known.turns.run >= run ? undefined : { turns };
    });
    if (isRepeated && (await this.reportAgain({ jobId, accountId, run }, turns))) return;
    await this.assignWhenBothAreThere({ jobId, accountId });
  }

  /** Called after each of the two is stored, so that the later one finds the other. Calling it twice does no harm. */
  async assignWhenBothAreThere(job: JobRef): Promise<void> {
    // A process that died while the job was erased, or did not find a page, may have written other pages.
    if (await this.erasure.removeIfErased(job)) return;
    const record = await this.ledger.get(job.jobId);
    const transcript = await this.transcripts.get(job.jobId);
    if (record?.state !== 'active' || !record.turns || !transcript || transcript.channels !== undefined) return;
    if (transcript.turns?.turnsKey === record.turns.turnsKey) await this.reportToLaterRun(transcript, record.turns);
    else await this.assign(transcript, record.turns);
    await this.erasure.removeIfErased(job);
  }

  /** Reads the turns for the merge, which does not wait for them: turns that cannot be read now are assigned after the transcript is completed. */
  async readIfPossible(turns: JobTurns, jobId: string): Promise<SpeakerTurn[] | undefined> {
    try {
      return await this.read(turns);
    } catch (error) {
      this.log.warn({ job_id: jobId, err: error }, 'turns not read');
      return undefined;
    }
  }

  /** Fails the stage after the last try. The transcript stays as it is, without speakers. */
  async giveUp({ jobId, accountId, run }: JobRun, thrown: unknown): Promise<void> {
    const { code, message, retryable } = toAppError(thrown);
    const failure = code === 'storage_full' ? { code, message, retryable } : ASSIGNMENT_FAILED;
    await this.ledger.end(DIARIZATION, { jobId, accountId, run }, { status: 'failed', error: failure });
  }

  async read({ turnsKey }: Pick<JobTurns, 'turnsKey'>): Promise<SpeakerTurn[]> {
    return parseSpeakerTurns(new TextDecoder().decode(await readObject(this.media, turnsKey))).turns;
  }

  /** Ingest received no end of the stage for some time, so it may be lost. @returns whether the stage has ended in this run */
  private async reportAgain(job: JobRun, turns: JobTurns): Promise<boolean> {
    const transcript = await this.transcripts.update(job.jobId, (current) =>
      current.turns?.run === job.run ? { document: current, events: [stageCompleted(current, turns)] } : undefined,
    );
    return transcript?.turns?.run === job.run || this.ledger.reportAgain(DIARIZATION, job);
  }

  private async assign(transcript: TranscriptDocument, turns: JobTurns): Promise<void> {
    const spoken = await this.read(turns);
    const { turnsKey, run } = turns;
    const recognized = await this.transcripts.assignSpeakers(transcript, { run, spoken });
    const { segmentCount = recognized, ...edits } = await this.edited.assign(transcript, spoken);
    const formerPages = Object.values(transcript.editedPages ?? {});
    const newPages = Object.values(edits.editedPages ?? {});
    const stored = await this.commit(transcript, { turns: { turnsKey, run }, speakers: speakersOf(spoken), segmentCount, ...edits }, turns).catch(async (error: unknown) => {
      if (error instanceof PagesOvertaken) await this.edited.removeUnreferenced(transcript.id, newPages, undefined);
      throw error;
    });
    await this.edited.removeUnreferenced(transcript.id, [...formerPages, ...newPages], stored);
    this.log.info({ job_id: transcript.id, account_id: transcript.accountId, run, turns: spoken.length, segments: segmentCount }, 'speakers assigned');
  }

  /** @throws PagesOvertaken when the pages are of another plan, or were edited meanwhile: it is refused for good */
  private commit(transcript: TranscriptDocument, assigned: Partial<TranscriptDocument>, turns: JobTurns): Promise<TranscriptDocument | undefined> {
    const { turnsKey, run } = turns;
    return this.transcripts.update(transcript.id, (current) => {
      if (current.planRun !== transcript.planRun || current.revision !== transcript.revision || (current.turns && current.turns.run > run)) throw new PagesOvertaken();
      if (current.turns?.turnsKey === turnsKey) return undefined;
      const { merges: _, ...rest } = current;
      const document = { ...rest, ...assigned, version: current.version + 1 };
      const change = speakersChanged(document, events.SpeakersChange.SPEAKERS_CHANGE_FOUND);
      return { document, events: [change, stageCompleted(current, turns)] };
    });
  }

  /** Reports the stage to a later run of the job whose turns are assigned already. */
  private async reportToLaterRun({ id }: TranscriptDocument, turns: JobTurns): Promise<void> {
    await this.transcripts.update(id, (current) => {
      if (!current.turns || current.turns.run >= turns.run) return undefined;
      return { document: { ...current, turns: { ...current.turns, run: turns.run } }, events: [stageCompleted(current, turns)] };
    });
  }
}

const ASSIGNMENT_FAILED = { code: 'internal', message: 'The speakers could not be assigned to the words.', retryable: true };

/** The end of the diarization stage: from here on the transcript says who speaks. */
export const stageCompleted = ({ id: jobId, accountId }: Pick<TranscriptDocument, 'id' | 'accountId'>, { run, engine, warnings }: JobTurns): NewEvent => ({
  type: 'stage.finished',
  data: { jobId, accountId, run, stage: common.Stage.STAGE_DIARIZATION, status: common.StageStatus.STAGE_STATUS_COMPLETED, engine, warnings },
});
