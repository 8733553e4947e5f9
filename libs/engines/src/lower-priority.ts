import { constants, getPriority, setPriority } from 'node:os';

const STEPS = constants.priority.PRIORITY_BELOW_NORMAL;

/**
 * Lowers the priority of a model's process below this one's, so that processes that answer callers get most of a core that both
 * want. Threads that it has started already keep theirs.
 */
export function lowerPriority(pid: number | undefined): void {
  if (pid === undefined) return;
  try {
    setPriority(pid, Math.min(constants.priority.PRIORITY_LOW, getPriority() + STEPS));
  } catch {
    // It has ended already, or the sandbox forbids it: it runs like any other.
  }
}
