import type { EventType } from '@parlance/contracts';
import { attemptWork } from '@parlance/platform';
import type { Consumer, Delivery, Turns } from '../event-bus.js';
import { FairPlaces } from './fair-places.js';

/**
 * Far more than there are places: an event waits for its account's turn where it delays no other. What comes behind so many
 * is not seen yet, so this is more than the jobs that one account, or ten at the default limit, can have waiting; 6 kB each.
 */
const HELD = 1024;
/** As long as topics keep events: waiting is no fault. */
const WAITING_MS = 7 * 24 * 60 * 60_000;
/** Milliseconds for work to end once its time is over. */
const GRACE_MS = 5000;

type Handle = (delivery: Delivery) => Promise<void>;

/** The consumer, its handlers called in turns: whatever one account has queued, the next place is another's. */
export function inTurns(consumer: Consumer, { places, share, deadlineMs }: Turns): Consumer {
  const fair = new FairPlaces(places, share);
  const inTurn = (handle: Handle): Handle => (delivery) =>
    fair.run(delivery.event.data.accountId, AbortSignal.any([delivery.signal, delivery.draining]), () => work(handle, delivery, deadlineMs));
  const handlers = Object.fromEntries(Object.entries(consumer.handlers).map(([type, handle]) => [type as EventType, inTurn(handle as Handle)]));
  return { ...consumer, handlers, concurrency: HELD, deadlineMs: WAITING_MS };
}

/** @throws what the handler throws; AppError timeout/handler_timeout; the signal's reason when it is interrupted. */
async function work(handle: Handle, delivery: Delivery, deadlineMs: number): Promise<void> {
  const { signal: closing, draining } = delivery;
  const ended = await attemptWork((signal) => handle({ ...delivery, signal }), { deadlineMs, graceMs: GRACE_MS, closing, draining });
  if (ended.outcome === 'failed') throw ended.error;
  if (ended.outcome === 'interrupted') throw closing.aborted ? closing.reason : draining.reason;
}
