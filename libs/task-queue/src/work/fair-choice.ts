import { laneName, type Lane } from '../store/lane.js';

interface FairState<L extends Lane> {
  /** Lanes with a task that can run now. */
  waiting: Iterable<L>;
  /** True when a task of the lane may have a place. */
  isFreeFor(lane: L): boolean;
  /** Running tasks of the lane, of all workers. */
  runningOf(lane: Lane): number;
  /** Running tasks of the account, of all workers. */
  runningOfAccount(accountId: string): number;
  /** Grows with each service; 0 for an account, or lane by its name, that was never served. */
  servedAt(accountOrLane: string): number;
}

/**
 * The lane whose turn it is: of the account with the fewest running tasks, then of its group with the fewest. Equals take turns:
 * the one that was served longest ago comes first. An account that is alone gets every place; with n accounts each converges to
 * an n-th of the places as tasks end, whatever their backlogs are.
 */
export function fairestLane<L extends Lane>(state: FairState<L>): L | undefined {
  let best: L | undefined;
  for (const lane of state.waiting) if ((!best || comesBefore(lane, best, state)) && state.isFreeFor(lane)) best = lane;
  return best;
}

function comesBefore(lane: Lane, other: Lane, { runningOf, runningOfAccount, servedAt }: Pick<FairState<Lane>, 'runningOf' | 'runningOfAccount' | 'servedAt'>): boolean {
  const byAccount = runningOfAccount(lane.accountId) - runningOfAccount(other.accountId) || servedAt(lane.accountId) - servedAt(other.accountId);
  return (byAccount || runningOf(lane) - runningOf(other) || servedAt(laneName(lane)) - servedAt(laneName(other))) < 0;
}
