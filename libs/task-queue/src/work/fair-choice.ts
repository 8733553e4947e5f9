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
  /** True when a lane of background tasks of the account has waited for its share of the services. */
  isBackgroundDue(accountId: string): boolean;
  /** Grows with each service; 0 for an account, or lane by its name, that was never served. */
  servedAt(accountOrLane: string): number;
}

/**
 * The lane whose turn it is: of the account with the fewest running tasks, then of its group with the fewest. Equals take turns:
 * the one that was served longest ago comes first. An account that is alone gets every place; with n accounts each converges to
 * an n-th of the places as tasks end, whatever their backlogs are. Within an account, background lanes come after the others, but for
 * a small share of the services, so that they do not starve.
 */
export function fairestLane<L extends Lane>(state: FairState<L>): L | undefined {
  let best: L | undefined;
  for (const lane of state.waiting) if ((!best || comesBefore(lane, best, state)) && state.isFreeFor(lane)) best = lane;
  return best;
}

type Order = Pick<FairState<Lane>, 'runningOf' | 'runningOfAccount' | 'servedAt' | 'isBackgroundDue'>;

function comesBefore(lane: Lane, other: Lane, { runningOf, runningOfAccount, servedAt, isBackgroundDue }: Order): boolean {
  const byAccount = runningOfAccount(lane.accountId) - runningOfAccount(other.accountId) || servedAt(lane.accountId) - servedAt(other.accountId);
  if (byAccount !== 0) return byAccount < 0;
  const byClass = classOf(lane) - classOf(other);
  if (byClass !== 0 && lane.accountId === other.accountId) return isBackgroundDue(lane.accountId) ? byClass > 0 : byClass < 0;
  return (runningOf(lane) - runningOf(other) || servedAt(laneName(lane)) - servedAt(laneName(other))) < 0;
}

const classOf = ({ isBackground }: Lane): number => Number(isBackground ?? false);
