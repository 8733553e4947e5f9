import { eventually, runAdmin } from '@parlance/testing';
import { RECOVERY_LIMIT_MS } from './report.mjs';
import { isTerminalEvent, terminalEventFaults } from './terminal-events.mjs';

/** An entry of the ledger may come so long after the end of its job. */
const LEDGER_GRACE_SECONDS = 10;

/**
 * Checks every promise after the disturbance.
 * @returns counts for the report, and in `broken` a line for each promise that was not kept
 */
export async function check({ parlance, load, receiver, relievedAt }) {
  await load.stop();
  const lost = [];
  const open = [];
  for (const jobId of load.acknowledged) await settle(parlance, load, { jobId, relievedAt, lost, open });
  const recoverySeconds = (performance.now() - relievedAt) / 1000;
  const kept = load.acknowledged.filter((jobId) => !lost.includes(jobId));
  for (const jobId of kept) await announced(jobId, receiver);
  const lostKeys = [];
  for (const key of load.keys) if ((await parlance.api.as(key).request('GET', '/transcriptions')).status !== 200) lostKeys.push(key);
  const letters = JSON.parse(await runAdmin(parlance.settings, 'dead-letters', 'list', '--json'));
  const ledger = await ledgerFaults(parlance);
  const doubled = await terminalEventFaults(kept, (jobId) => endsOf(jobId, receiver));

  const broken = [
    ...lost.map((jobId) => `${jobId} was acknowledged and is not there`),
    ...lostKeys.map((_, index) => `the account of sign-up ${index + 1} was acknowledged and its key is refused`),
    ...load.undone.map((line) => `undone: ${line}`),
    ...doubled,
    ...open,
    ...letters.map((letter) => `dead letter: ${JSON.stringify(letter)}`),
    ...ledger,
  ];
  return { acknowledged: load.acknowledged.length, accounts: load.keys.length, lost: lost.length + lostKeys.length, undone: load.undone.length, doubled: doubled.length, deadLetters: letters.length, open: open.length, recoverySeconds, broken };
}

/** Waits for the job's end. */
export async function settle(parlance, load, { jobId, relievedAt, lost, open }) {
  if ((await parlance.api.request('GET', `/transcriptions/${jobId}`)).status === 404) return void lost.push(jobId);
  const rest = RECOVERY_LIMIT_MS - (performance.now() - relievedAt);
  try {
    const job = await parlance.api.terminal(jobId, Math.max(0, rest));
    load.note(jobId, job.status);
    if (job.status === 'failed') open.push(`${jobId} failed: ${JSON.stringify(job.error)}`);
  } catch (error) {
    open.push(`${jobId}: ${error.message}`);
  }
}

/** Waits for the first webhook of the job's end; whether it is the only one is counted later. */
const announced = (jobId, receiver) => eventually(`the webhook of the end of ${jobId}`, () => endsOf(jobId, receiver).length > 0, RECOVERY_LIMIT_MS).catch(() => undefined);

/** The receiver is outside of the product: what it was sent cannot be taken back. */
const endsOf = (jobId, receiver) => receiver.of(jobId).filter(({ body }) => isTerminalEvent(body.type)).map(({ headers }) => headers['webhook-id']);

export async function ledgerFaults(parlance) {
  const report = async () => JSON.parse(await runAdmin(parlance.settings, 'ledger', 'check', '--json', '--grace', String(LEDGER_GRACE_SECONDS)));
  try {
    await eventually('the ledger', async () => (await report()).pending === 0, RECOVERY_LIMIT_MS, 500);
    return [];
  } catch (error) {
    return [`ledger: ${error.stdout ?? error.message}`];
  }
}
