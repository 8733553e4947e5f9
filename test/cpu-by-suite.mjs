import { appendFileSync, readFileSync } from 'node:fs';
import { setImmediate } from 'node:timers/promises';
import Environment from './environment.mjs';

/** Clock ticks of `/proc` a second. */
const TICKS = 100;

/** CPU seconds of the children that have ended, and of theirs. */
function childSeconds() {
  const fields = readFileSync('/proc/self/stat', 'utf8').replace(/^.*\) /, '').split(' ');
  // cutime and cstime, proc(5); the first two fields are cut off.
  return (Number(fields[13]) + Number(fields[14])) / TICKS;
}

function ownSeconds() {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1e6;
}

/** Servers that listen in this process. One that a suite leaves open keeps the Jest worker from ending, which Jest then kills. */
const listening = () => process.getActiveResourcesInfo().filter((kind) => kind === 'TCPServerWrap').length;

/** With TEST_CPU=<file>, appends a line of each suite: CPU seconds of its own, of its children, servers left open, and its path. Linux. */
export default class CpuBySuite extends Environment {
  constructor(config, context) {
    super(config, context);
    this.before = [ownSeconds(), childSeconds()];
    this.listeningBefore = listening();
  }

  async teardown() {
    await super.teardown();
    // The event loop lets go of a closed server after its callbacks of setImmediate: in the second turn it is gone.
    await setImmediate();
    await setImmediate();
    const [own, child] = this.before;
    const spent = [ownSeconds() - own, childSeconds() - child].map((seconds) => seconds.toFixed(2));
    appendFileSync(process.env.TEST_CPU, `${[...spent, listening() - this.listeningBefore, this.suite].join('\t')}\n`);
  }
}
