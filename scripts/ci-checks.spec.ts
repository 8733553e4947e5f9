import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from '@jest/globals';

const checks = fileURLToPath(new URL('../.ci/checks', import.meta.url));

/** What `.ci/run` would end with after these lines. */
function run(...lines: string[]) {
  const { status, stdout } = spawnSync('bash', ['-uc', ['. "$0"', ...lines, 'summary'].join('\n'), checks], { encoding: 'utf8' });
  return { status, summary: stdout.split('\n').filter((line) => /^NOT CHECKED|passed, /.test(line)) };
}

describe('.ci/run', () => {
  it('names each check that could not be made here, and counts it neither as passed nor as failed', () => {
    const summary = ['NOT CHECKED: power cuts', 'NOT CHECKED: audit', '1 passed, 0 failed'];
    expect(run("check_if_possible 'power cuts' sh -c 'exit 75'", 'check lint true', "check_if_possible audit sh -c 'exit 75'")).toEqual({ status: 0, summary });
  });

  it('fails by any other status, and by 75 of what must be possible everywhere', () => {
    expect(run("check_if_possible audit sh -c 'exit 1'", "check lint sh -c 'exit 75'")).toEqual({ status: 1, summary: ['0 passed, 2 failed'] });
  });

  it('has no line of what was not checked when everything was', () => {
    expect(run('check lint true', 'check_if_possible audit true')).toEqual({ status: 0, summary: ['2 passed, 0 failed'] });
  });
});
