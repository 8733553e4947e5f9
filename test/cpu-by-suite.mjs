import { appendFileSync, readFileSync } from 'node:fs';
import { relative } from 'node:path';
import './code-cache.mjs';
import { TestEnvironment } from 'jest-environment-node';

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

/** With TEST_CPU=<file>, appends a line of each suite: CPU seconds of its own, of its children, and its path. Linux. */
export default class CpuBySuite extends TestEnvironment {
  constructor(config, context) {
    super(config, context);
    this.suite = relative(config.globalConfig.rootDir, context.testPath);
    this.before = [ownSeconds(), childSeconds()];
  }

  async teardown() {
    await super.teardown();
    const [own, child] = this.before;
    const spent = [ownSeconds() - own, childSeconds() - child].map((seconds) => seconds.toFixed(2));
    appendFileSync(process.env.TEST_CPU, `${[...spent, this.suite].join('\t')}\n`);
  }
}
