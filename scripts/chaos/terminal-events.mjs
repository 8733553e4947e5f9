import { setTimeout as sleep } from 'node:timers/promises';

/** A second event of an end that comes late comes in this time after the ledger is settled. */
const QUIET_MS = 3000;
const TERMINAL_EVENTS = new Set(['transcription.completed', 'transcription.failed', 'transcription.canceled']);

export const isTerminalEvent = (type) => TERMINAL_EVENTS.has(type);

/**
 * To be called after all other checks: a count that ends with the first event would not see a late second one.
 * @param idsOf ids of the terminal events of a job; an event that is sent again has the same id
 * @returns a line for each job without exactly one terminal event
 */
export async function terminalEventFaults(jobIds, idsOf, quietMs = QUIET_MS) {
  await sleep(quietMs);
  const faults = [];
  for (const jobId of jobIds) {
    const { size } = new Set(await idsOf(jobId));
    if (size !== 1) faults.push(`${jobId} has ${size} terminal events`);
  }
  return faults;
}
