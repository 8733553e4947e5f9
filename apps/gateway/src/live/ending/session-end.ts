import { Inject, Injectable } from '@nestjs/common';
import { common, mediaKeys, type JobService, type LastingMessage, type LiveFinals } from '@parlance/contracts';
import { AppError, toAppError, type Logger } from '@parlance/platform';
import { JOB_SERVICE, LOGGER, MEDIA_STORE } from '@parlance/runtime';
import { JobErasure } from '@parlance/stage';
import type { MediaStore } from '@parlance/storage';
import { StoredAudio } from '../audio/stored-audio.js';
import { LastingLog, SequenceTaken } from '../recognition/lasting-log.js';
import { LiveRecognition } from '../recognition/live-recognition.js';
import { RECOGNITION_SERVICES, type RecognitionServices } from '../recognition/recognition-run.js';
import { isRecognitionGivenUp } from '../session/end-failures.js';
import { LiveEvents } from '../session/live-events.js';
import { LiveSessions } from '../session/live-sessions.js';
import type { LiveSession } from '../session/live-session.js';
import type { SessionEnding } from './session-ending.js';
import { resultsOf } from './session-results.js';

/** The outcome of recognition. Undefined: it failed, and the recording has to be transcribed as a file. */
type RecognizedBy = { engine: string } | undefined;

/** Ends sessions: what was acknowledged becomes a job. Each step can be done again, as a process may be killed behind any of them. */
@Injectable()
export class SessionEnd implements SessionEnding {
  private readonly stored: StoredAudio;

  constructor(
    @Inject(LiveSessions) private readonly sessions: LiveSessions,
    @Inject(LiveEvents) private readonly events: LiveEvents,
    @Inject(MEDIA_STORE) private readonly media: MediaStore,
    @Inject(JOB_SERVICE) private readonly jobs: Pick<JobService, 'finishLive' | 'getJob'>,
    @Inject(RECOGNITION_SERVICES) private readonly services: RecognitionServices,
    @Inject(JobErasure) private readonly erasure: Pick<JobErasure, 'removeIfErased'>,
    @Inject(LOGGER) private readonly log: Logger,
  ) {
    this.stored = new StoredAudio(media);
  }

  /**
   * Recognizes what is left of a session without a connection, and ends it.
   * @param generation that the caller has taken
   * @throws AppError when it has to be tried again; live_taken_over or live_ended when another process ends it; not_found or invalid_state
   *   when its job was deleted or canceled; the reason of the signal
   */
  async finish(sessionId: string, generation: number, signal: AbortSignal): Promise<void> {
    const session = await this.sessions.beginEnd(sessionId, generation);
    try {
      await this.finishSession(session, signal);
    } catch (error) {
      await this.removeIfErased(session);
      throw error;
    }
  }

  /** Ends a session whose audio is recognized. @returns its last message */
  async complete(sessionId: string, generation: number, messages: LastingLog, recognized: RecognizedBy): Promise<LastingMessage | undefined> {
    const session = await this.sessions.beginEnd(sessionId, generation);
    const { id: jobId, accountId } = session;
    const { finals, gaps } = await resultsOf(this.events.list(jobId));
    const finalsKey = recognized ? await this.storeFinals(session, { engine: recognized.engine, finals }) : '';
    await this.jobs.finishLive({ accountId, jobId, pieces: await this.pieceKeys(session), gaps, finalsKey });
    return this.announce(session, messages);
  }

  private async finishSession(session: LiveSession, signal: AbortSignal): Promise<void> {
    const { id, generation } = session;
    const messages = await LastingLog.open(this.events, session);
    // FinishLive was called before this message was stored.
    if (messages.isFinished) return void (await this.sessions.end(id, generation));
    // Its pieces may have been joined and removed since then.
    if (!(await this.isJobOpen(session))) return void (await this.announce(session, messages));
    const engine = session.acknowledged > 0 ? await this.recognizeRest(session, messages, signal) : undefined;
    signal.throwIfAborted();
    await this.complete(id, generation, messages, engine);
  }

  /** Removes what was stored after the job was deleted. */
  private async removeIfErased({ id: jobId, accountId }: LiveSession): Promise<void> {
    if (await this.erasure.removeIfErased({ jobId, accountId })) await this.media.remove(mediaKeys(accountId, jobId).liveFinals);
  }

  /** The job continues without the session. */
  private async announce({ id, generation, audioMs }: LiveSession, messages: LastingLog): Promise<LastingMessage | undefined> {
    const message = await messages.append({ type: 'finished', transcription_id: id, audio_ms: audioMs });
    await this.sessions.end(id, generation);
    return message;
  }

  /** False after FinishLive, also when its answer was lost. */
  private async isJobOpen({ id: jobId, accountId }: LiveSession): Promise<boolean> {
    const { job } = await this.jobs.getJob({ accountId, jobId });
    if (job?.status === common.JobStatus.JOB_STATUS_CANCELED) throw new AppError({ code: 'invalid_state', reason: 'already_terminal', message: 'The job of the live session was canceled.' });
    return job?.live?.open ?? true;
  }

  private async recognizeRest(session: LiveSession, messages: LastingLog, signal: AbortSignal): Promise<RecognizedBy> {
    const audio = { from: (offset: number) => this.stored.read(session, offset), position: session.acknowledged, acknowledged: async () => {} };
    const recognition = new LiveRecognition(session, { services: this.services, audio, messages, listener: { onMessage: () => {} }, log: this.log });
    try {
      await recognition.run(signal);
    } catch (error) {
      signal.throwIfAborted();
      return this.withoutFinals(session, error);
    }
    await this.sessions.commit(session.id, session.generation, { restart: recognition.restarts.latest, audioMs: Math.max(session.audioMs, recognition.decodedMs) });
    return recognition.engine === undefined ? undefined : { engine: recognition.engine };
  }

  private withoutFinals(session: LiveSession, thrown: unknown): undefined {
    const error = toAppError(thrown);
    if (thrown instanceof SequenceTaken || !isRecognitionGivenUp(session.ending ?? { failures: 0 }, error)) throw thrown;
    this.log.warn({ err: error.cause ?? error, job_id: session.id }, 'a live session could not be recognized to its end; its recording is transcribed as a file');
  }

  private async storeFinals({ accountId, id }: LiveSession, finals: LiveFinals): Promise<string> {
    const key = mediaKeys(accountId, id).liveFinals;
    await this.media.put(key, one(Buffer.from(JSON.stringify(finals))));
    return key;
  }

  private async pieceKeys(session: LiveSession): Promise<string[]> {
    const keys: string[] = [];
    for await (const { key } of this.stored.pieces(session)) keys.push(key);
    return keys;
  }
}

async function* one(bytes: Buffer): AsyncGenerator<Buffer> {
  yield bytes;
}
