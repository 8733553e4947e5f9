import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { spawnSync } from 'node:child_process';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';

const script = fileURLToPath(new URL('./audit.mjs', import.meta.url));
const none = { info: 0, low: 0, moderate: 0, high: 0, critical: 0, total: 0 };
let programs: string;
beforeEach(() => {
  programs = mkdtempSync(join(tmpdir(), 'parlance-audit-'));
});
afterEach(() => rmSync(programs, { recursive: true }));

/** With an npm that prints this. */
function audit(output: string) {
  writeFileSync(join(programs, 'answer'), output);
  writeFileSync(join(programs, 'npm'), `#!/bin/sh\ncat ${join(programs, 'answer')}\n`);
  chmodSync(join(programs, 'npm'), 0o755);
  const env = { PATH: `${programs}${delimiter}${process.env['PATH']}` };
  const { status, stdout } = spawnSync(process.execPath, [script], { env, encoding: 'utf8' });
  return { status, stdout };
}

describe('npm run audit', () => {
  it('passes when the registry knows nothing of high severity', () => {
    const vulnerabilities = { small: { name: 'small', severity: 'moderate', range: '<1' } };
    const answer = audit(JSON.stringify({ vulnerabilities, metadata: { vulnerabilities: { ...none, moderate: 1, total: 1 } } }));
    expect(answer).toEqual({ status: 0, stdout: expect.stringMatching(/^checked: .*1 moderate/) });
  });

  it.each(['high', 'critical'])('fails on a vulnerability that is %s, and names the package', (severity) => {
    const vulnerabilities = { broken: { name: 'broken', severity, range: '<2.0.1' } };
    const answer = audit(JSON.stringify({ vulnerabilities, metadata: { vulnerabilities: { ...none, [severity]: 1, total: 1 } } }));
    expect(answer).toEqual({ status: 1, stdout: expect.stringContaining(`${severity}: broken <2.0.1`) });
  });

  it.each([
    ['refuses', JSON.stringify({ message: '405 Method Not Allowed - POST https://registry.example/-/npm', error: { summary: '' } }), '405 Method Not Allowed'],
    ['is away', JSON.stringify({ error: { code: 'ENOTFOUND', summary: 'request failed' } }), 'request failed'],
    ['prints nothing', '', 'no readable answer'],
    ['prints another document', '<html>', 'no readable answer'],
    ['prints an empty report', '{}', 'no readable answer'],
  ])('says that nothing was checked, by a status of its own, when the registry %s', (_case, output, cause) => {
    const answer = audit(output);
    expect(answer).toEqual({ status: 75, stdout: expect.stringContaining(`not checked: the registry did not answer npm audit (${cause}`) });
    expect(answer.stdout).not.toContain('registry.example');
  });
});
