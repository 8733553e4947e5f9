import { MediaServer, ParlanceProcess, WebhookReceiver } from '@parlance/testing';
import { setTimeout as sleep } from 'node:timers/promises';
import { check } from './checks.mjs';
import { Load } from './load.mjs';

/** Time for jobs to be on their way before the disturbance, milliseconds. */
const LEAD_MS = 300;
const MAX_LEAD_MS = 2500;

const SETTINGS = {
  SPEECH_ENGINE_URL: 'fixture:?delayMs=50',
  LOG_LEVEL: 'warn',
  WEBHOOK_TIMEOUT_SECONDS: '2',
  WEBHOOK_RETRY_SCHEDULE: Array.from({ length: 30 }, () => 1).join(','),
  // The start after a kill must not take longer than a live session waits for its client.
  LIVE_RESUME_SECONDS: '600',
  SIGNUPS_PER_HOUR: '10000',
  SIGNUPS_PER_HOUR_TOTAL: '10000',
};

/**
 * Starts the product, makes load, disturbs it, and checks what it promises.
 *
 * A fault has
 * - `unavailable()`, optional: why it cannot be made on this machine;
 * - `prepare({ round, random })`, optional: `{ options, … }`, options of ParlanceProcess.start, with `[Symbol.asyncDispose]` where there is something to undo;
 * - `disturb({ parlance, prepared, random, load })`: returns once the cause is over and the product runs. What it returns, if anything, is said in the round's line;
 * - `play({ round, random })`, optional: the whole round, in place of all others, with `end()` after the last one;
 * - `check({ parlance, prepared, load, receiver, relievedAt })`, optional: in place of the common checks, of the same shape.
 */
export async function playRound(fault, { round, random, recording }) {
  const startedAt = performance.now();
  await using stack = new AsyncDisposableStack();
  const prepared = await fault.prepare?.({ round, random });
  if (prepared?.[Symbol.asyncDispose]) stack.use(prepared);
  const media = stack.use(await MediaServer.start());
  const receiver = stack.use(await WebhookReceiver.start());
  const parlance = stack.use(await ParlanceProcess.start({ ...prepared?.options, env: { ...SETTINGS, ...prepared?.options?.env } }));
  const load = new Load(parlance, { recording, media, receiver });
  await load.start();
  await sleep(LEAD_MS + random() * (MAX_LEAD_MS - LEAD_MS));
  const note = await fault.disturb({ parlance, prepared, random, load });
  const found = await (fault.check ?? check)({ parlance, prepared, load, receiver, relievedAt: performance.now() });
  return { ...found, note, seconds: (performance.now() - startedAt) / 1000 };
}
