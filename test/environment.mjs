import { relative } from 'node:path';
import './code-cache.mjs';
import { TestEnvironment } from 'jest-environment-node';
import { isQuick, SLOW_CASES } from './slow-tests.mjs';

const testsOf = (block) => block.children.flatMap((child) => (child.type === 'test' ? [child] : testsOf(child)));

/** The name of a test after those of its `describe` blocks, as Jest's reports have it. */
const nameOf = ({ name, parent }) => (parent?.parent ? `${nameOf(parent)} ${name}` : name);

/** @throws Error when the suite has no such case, so that no entry outlives its test */
function casesNamed(beginning, tests) {
  const cases = tests.filter((test) => nameOf(test).startsWith(beginning));
  if (cases.length === 0) throw new Error(`test/slow-tests.mjs names a case that is not there: ${beginning}`);
  return cases;
}

/** Node's environment, which skips the slow cases of a suite in the quick run. */
export default class Environment extends TestEnvironment {
  constructor(config, context) {
    super(config, context);
    this.suite = relative(config.globalConfig.rootDir, context.testPath);
  }

  handleTestEvent({ name }, { rootDescribeBlock }) {
    if (name !== 'run_start' || !SLOW_CASES[this.suite]) return;
    const tests = testsOf(rootDescribeBlock);
    const slow = SLOW_CASES[this.suite].flatMap((beginning) => casesNamed(beginning, tests));
    if (isQuick()) for (const test of slow) test.mode = 'skip';
  }
}
