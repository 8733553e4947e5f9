import type { LastingMessage } from '@parlance/contracts';
import type { SessionIntake } from '../audio/session-intake.js';
import type { LiveRecognition } from '../recognition/live-recognition.js';
import type { ConnectionServices, TakenSession } from './connection-services.js';
import type { OwnershipCheck } from './ownership-check.js';
import type { SkippedAudio } from './skipped-audio.js';

interface SessionFinishOptions {
  services: Pick<ConnectionServices, 'end' | 'metrics'>;
  taken: TakenSession;
  intake: SessionIntake;
  skipped: Pick<SkippedAudio, 'settled'>;
  recognition: Pick<LiveRecognition, 'engine'>;
  /** Settles when all audio is recognized. */
  recognized: Promise<void> | undefined;
  ownership: Pick<OwnershipCheck, 'stop'>;
}

/** Stores and recognizes all that has arrived, and makes the session a job. @returns the last message of the session. @throws AppError */
export async function finishSession({ services, taken, intake, skipped, recognition, recognized, ownership }: SessionFinishOptions): Promise<LastingMessage | undefined> {
  const { session, messages, engine } = taken;
  await skipped.settled();
  await intake.flush();
  intake.close();
  await recognized;
  // A check that commits while the session ends would report the end as a failure.
  ownership.stop();
  await intake.renew();
  const by = intake.session.acknowledged > 0 ? { engine: recognition.engine ?? engine.engine } : undefined;
  const last = await services.end.complete(session.id, session.generation, messages, by);
  services.metrics.sessionEnded('finish');
  return last;
}
