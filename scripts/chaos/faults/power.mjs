import { PowerCutDisk, powerCutUnavailable } from '../power-cut-disk.mjs';

/** In every other round ext4 commits its journal often, as by default; in the others only when a program flushes. */
const COMMIT_SECONDS = [600, 5];

/** The disk keeps what has reached it, all processes are gone, and the product starts again from that disk. */
export const power = {
  unavailable: powerCutUnavailable,

  async prepare({ round }) {
    const disk = await PowerCutDisk.create({ commitSeconds: COMMIT_SECONDS[round % COMMIT_SECONDS.length] });
    return { disk, options: { dataFolder: disk.folder }, [Symbol.asyncDispose]: () => disk[Symbol.asyncDispose]() };
  },

  async disturb({ parlance, prepared: { disk }, load }) {
    const programs = await parlance.programs();
    await disk.cut(() => load.cut());
    await parlance.kill();
    for (const { pid } of programs) killIfThere(pid);
    await disk.powerOn();
    await parlance.restart();
    const { answeredAfterCut } = load;
    const missing = [];
    for (const jobId of answeredAfterCut) if ((await parlance.api.request('GET', `/transcriptions/${jobId}`)).status === 404) missing.push(jobId);
    return `${answeredAfterCut.length} answered after the cut, ${missing.length} of them not there`;
  },
};

function killIfThere(pid) {
  try {
    process.kill(pid, 'SIGKILL');
  } catch (error) {
    if (error.code !== 'ESRCH') throw error;
  }
}
