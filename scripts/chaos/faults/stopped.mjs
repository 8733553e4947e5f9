import { setTimeout as sleep } from 'node:timers/promises';

const SHORTEST_MS = 200;
const MAX_MS = 5000;

/** The process and the programs it started stand still for a while, as on a machine that swaps or a suspended laptop. */
export const stopped = {
  async disturb({ parlance, random }) {
    const pids = [parlance.pid, ...(await parlance.programs()).map(({ pid }) => pid)];
    const milliseconds = Math.round(SHORTEST_MS + random() * (MAX_MS - SHORTEST_MS));
    signal(pids, 'SIGSTOP');
    await sleep(milliseconds);
    signal(pids, 'SIGCONT');
    return `stopped for ${milliseconds} ms`;
  },
};

function signal(pids, name) {
  for (const pid of pids) {
    try {
      process.kill(pid, name);
    } catch (error) {
      // A program that had ended by itself.
      if (error.code !== 'ESRCH') throw error;
    }
  }
}
