import { realServers, ParlanceCluster } from '@parlance/testing/cluster';
import { LiveKills } from '../live-kills.mjs';
import { meetingSamples, undisturbedSession } from '../live-session.mjs';

const SESSIONS = 12;
/** A second process of each service that is killed, so that another one continues. */
const REPLICAS = { gateway: 2, ingest: 2, transcription: 2 };
const SETTINGS = { SPEECH_ENGINE_URL: 'fixture:?delayMs=50', LOG_LEVEL: 'warn', LIVE_RESUME_SECONDS: '600' };

let cluster;
let compared;

/** Every service has processes of its own. The gateway that has the connections of live sessions is killed, and in the next round the worker that recognizes them. */
export const liveCluster = {
  unavailable() {
    try {
      realServers();
      return undefined;
    } catch (error) {
      return error.message;
    }
  },

  /** In place of the common round: one installation for all rounds. */
  async play({ round, random }) {
    const startedAt = performance.now();
    cluster ??= await ParlanceCluster.start({ replicas: REPLICAS, env: SETTINGS });
    const pcm = meetingSamples();
    compared ??= await undisturbedSession(cluster, pcm);
    const kills = new LiveKills(cluster, { pcm, undisturbed: compared, random });
    const part = round % 2 === 0 ? 'gateway' : 'worker';
    const { killed, connections, afterSeconds, recoverySeconds, broken } = await kills[part](SESSIONS);
    const note = `killed the ${part} of ${killed} of ${SESSIONS} live sessions after ${afterSeconds.toFixed(1)} s; ${connections} connections`;
    return { acknowledged: SESSIONS, accounts: 0, lost: 0, undone: 0, doubled: 0, deadLetters: 0, open: 0, recoverySeconds, broken, kills: { [part]: killed }, note, seconds: (performance.now() - startedAt) / 1000 };
  },

  async end() {
    await cluster?.dispose();
  },
};
