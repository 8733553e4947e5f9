import { setTimeout as sleep } from 'node:timers/promises';
import { check } from '../checks.mjs';
import { differences, meetingSamples, PlayedSession, playedMs, undisturbedSession } from '../live-session.mjs';

/** Sessions that are killed at a time, each at another moment of it. */
const SESSIONS = 8;
/** From its first byte to a second after its last one: the end of a session is disturbed too. */
const AFTER_MS = 1000;

/** The product has this port again after a restart. It is below the ports that the kernel gives to outgoing connections, and above those of tests. */
const PORT = '27302';

let samples;
/** The same session without a disturbance. */
let undisturbed;

/** The process is killed at a random moment of live sessions, whose clients come back. The sessions must be as an undisturbed one, and the jobs beside them as ever. */
export const live = {
  async prepare() {
    samples ??= meetingSamples();
    return { options: { env: { PORT } } };
  },

  async disturb({ parlance, prepared, random }) {
    undisturbed ??= await undisturbedSession(parlance, samples);
    const lengthMs = playedMs(samples) + AFTER_MS;
    const at = random() * lengthMs;
    // Each begins at another time before the kill, so that it is killed at another moment of it.
    const begun = Array.from({ length: SESSIONS }, async (_, index) => {
      await sleep(index === 0 ? 0 : random() * at);
      return new PlayedSession(parlance, samples);
    });
    await sleep(at);
    const sessions = await Promise.all(begun);
    const killed = sessions.filter(({ gateway }) => gateway !== undefined).length;
    await parlance.kill();
    await parlance.restart();
    prepared.sessions = await Promise.all(sessions.map(({ result }) => result));
    prepared.kills = { process: killed };
    return `killed the whole process under ${killed} of ${SESSIONS} live sessions, ${(at / 1000).toFixed(1)} s after the start of the first`;
  },

  async check(round) {
    const found = await check(round);
    const { sessions, kills } = round.prepared;
    return { ...found, kills, broken: [...found.broken, ...sessions.flatMap((session) => differences(session, undisturbed, samples))] };
  },
};
