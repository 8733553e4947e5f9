// A worker: judges each pattern that it is sent by recheck, which proves linear time by automata or attacks by fuzzing.
import { runInNewContext } from 'node:vm';
import { parentPort } from 'node:worker_threads';

// Offline and without Java or a native program.
process.env.RECHECK_BACKEND = 'pure';
const { checkSync } = await import('recheck');

/** Bounded by counts of steps and by one seed, not by time, so that every machine judges alike. A pattern that takes longer than `timeout` is refused as undecided. */
const LIMITS = { timeout: 120_000, incubationTimeout: null, seedingTimeout: null, attackTimeout: null, recallTimeout: null, randomSeed: 1 };
/** Processor time that an attack of recheck takes at least; on a linear pattern it takes a few milliseconds. */
const HELD_MS = 40;

parentPort.on('message', ({ source, flags }) => {
  const { status, checker, complexity, attack, error } = checkSync(source, flags, LIMITS);
  const isFalseAlarm = status === 'vulnerable' && checker === 'fuzz' && !holds(source, flags, attack.string);
  parentPort.postMessage({ status: isFalseAlarm ? 'safe' : status, complexity: complexity?.summary, attack: attack?.pattern, error: error?.kind });
});

/** True when the attack works on V8. Fuzzing counts the steps of another engine, which takes some linear patterns for quadratic. */
function holds(source, flags, text) {
  const startUs = threadTimeUs();
  try {
    runInNewContext('pattern.exec(text)', { pattern: new RegExp(source, flags), text }, { timeout: 2000 });
  } catch {
    return true;
  }
  return threadTimeUs() - startUs > HELD_MS * 1000;
}

function threadTimeUs() {
  const { user, system } = process.threadCpuUsage();
  return user + system;
}
