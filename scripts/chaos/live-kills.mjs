import { setTimeout as sleep } from 'node:timers/promises';
import { differences, PlayedSession, playedMs } from './live-session.mjs';

/** Sessions are begun over this time before the kill, milliseconds, so that each is killed at another moment. */
const SPREAD_MS = 1500;

/** Kills with -9, under live sessions of a cluster, the process that does one part of their work, and starts it again. */
export class LiveKills {
  constructor(cluster, { pcm, undisturbed, random }) {
    Object.assign(this, { cluster, pcm, undisturbed, random });
  }

  /** The gateway that has the connections. Each client continues at another gateway. */
  gateway(count) {
    const [victim] = this.cluster.of('gateway');
    const url = this.cluster.api.urls[0];
    return this.round(count, () => 0, async (sessions) => ({ victim, killed: sessions.filter(({ gateway }) => gateway === url).length }));
  }

  /** The worker that recognizes the most sessions. Each connection stays, and another worker continues. */
  worker(count) {
    return this.round(count, (index) => index, async () => {
      const workers = await Promise.all(this.cluster.of('transcription').map(async (victim) => ({ victim, killed: streamsIn(await victim.metrics()) })));
      return workers.reduce((most, worker) => (worker.killed > most.killed ? worker : most));
    });
  }

  /** @returns how many sessions the killed process worked on, when, the time until all were completed, and a line for each difference */
  async round(count, gatewayOf, choose) {
    const at = SPREAD_MS / 2 + this.random() * playedMs(this.pcm);
    const begun = Array.from({ length: count }, async (_, index) => {
      await sleep(this.random() * Math.min(at, SPREAD_MS));
      return new PlayedSession(this.cluster, this.pcm, gatewayOf(index));
    });
    await sleep(at);
    const sessions = await Promise.all(begun);
    const { victim, killed } = await choose(sessions);
    const killedAt = performance.now();
    await this.cluster.replace(victim, 'SIGKILL');
    const results = await Promise.all(sessions.map(({ result }) => result));
    const connections = sessions.reduce((sum, session) => sum + session.connections, 0);
    return { killed, connections, afterSeconds: at / 1000, recoverySeconds: (performance.now() - killedAt) / 1000, broken: results.flatMap((session) => differences(session, this.undisturbed, this.pcm)) };
  }
}

/** Live streams that a worker recognizes, by its metrics. */
const streamsIn = (metrics) => Number(/^parlance_live_streams(?:\{[^}]*\})? (\d+)/m.exec(metrics)?.[1] ?? 0);
