import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { eventually } from '@parlance/testing';

const runner = fileURLToPath(new URL('../.ci/runner', import.meta.url));

describe('.ci/run and .ci/full', () => {
  let root: string;
  beforeEach(() => {
    root = mkdtempSync(join(tmpdir(), 'parlance-parts-'));
    mkdirSync(join(root, '.ci', 'parts'), { recursive: true });
    cpSync(runner, join(root, '.ci', 'runner'), { recursive: true });
    writeFileSync(join(root, '.gitignore'), 'reports\norder\ncache\nmissing\n');
    git('init', '-q');
    program(join(root, '.ci', 'set-up'), 'echo set up >>order');
  });
  afterEach(() => rmSync(root, { recursive: true }));

  function program(path: string, ...lines: string[]): void {
    writeFileSync(path, ['#!/usr/bin/env bash', ...lines, ''].join('\n'));
    chmodSync(path, 0o755);
  }

  const git = (...args: string[]) => spawnSync('git', ['-c', 'user.name=a', '-c', 'user.email=a@example.org', ...args], { cwd: root, encoding: 'utf8' }).stdout.trim();

  function commit(): void {
    git('add', '-A');
    git('commit', '-qm', 'one');
  }

  /** A part that leaves its name in the file `order`, also when it runs in another folder. */
  function part(name: string, header: string[], ...lines: string[]): void {
    const needs = header.some((line) => line.startsWith('takes')) ? header : ['takes: 15', ...header];
    program(join(root, '.ci', 'parts', name), `# What ${name} checks.`, '#', ...needs.map((line) => `# ${line}`), `echo ${name} >>${join(root, 'order')}`, ...lines);
  }

  /** A server that runs when the file of its name is there. */
  function server(name: string): void {
    mkdirSync(join(root, 'shared', 'servers'), { recursive: true });
    const file = join(root, `${name}-runs`);
    const actions = [`start) touch ${file}; echo KAFKA_BROKERS=127.0.0.1:9;;`, `wipe) rm ${file};;`, `status) [ -e ${file} ]; exit;;`];
    program(join(root, 'shared', 'servers', name), 'case $1 in', ...actions, 'esac', `echo "${name} $1" >>order`);
  }

  const argumentsOf = (args: string[]) => [join('.ci', 'runner', 'main.mjs'), '--time-factor', '1', ...args];
  const environment = () => ({ ...process.env, PARLANCE_SHARED: join(root, 'shared'), XDG_CACHE_HOME: join(root, 'cache'), CI_PAUSE_SECONDS: '0', CI_MIN_LIMIT_SECONDS: '0' });

  function run(...args: string[]) {
    const { status, stdout } = spawnSync(process.execPath, argumentsOf(args), { cwd: root, encoding: 'utf8', env: environment() });
    return { status, stdout, last: stdout.trimEnd().split('\n').at(-1) };
  }

  const order = () => readFileSync(join(root, 'order'), 'utf8').trimEnd().split('\n');

  it('runs the parts of the gate in their order', () => {
    part('second', ['gate: 2']);
    part('first', ['gate: 1']);
    part('another', []);
    expect(run('--gate')).toMatchObject({ status: 0, last: '2 passed, 0 failed' });
    expect(order()).toEqual(['set up', 'first', 'second']);
  });

  it('runs a fresh part on a new clone of what is committed, each time', () => {
    part('first', ['gate: 1', 'fresh: yes'], '[ "$PWD" != "' + root + '" ]', '[ ! -e installed ]', 'touch installed', 'exit 3');
    part('second', ['gate: 2']);
    commit();
    expect(run('--gate')).toMatchObject({ status: 1, last: '1 passed, 1 failed' });
    expect(order()).toEqual(['first', 'set up', 'second', 'first']);
    expect(run('--gate').stdout.match(/^FAILED first: status 3$/m)).not.toBeNull();
  });

  it('gives parts no setting of the caller that changes what they check', () => {
    part('one', [], 'echo "settings: ${TESTS-}${PROPERTY_SEED-}${PARLANCE_SHAPE-}" >>order');
    spawnSync(process.execPath, argumentsOf([]), { cwd: root, env: { ...environment(), TESTS: 'quick', PROPERTY_SEED: '5', PARLANCE_SHAPE: 'cluster' } });
    expect(order()).toEqual(['set up', 'one', 'settings:']);
  });

  it('runs all parts, those with servers last, and one alone', () => {
    part('late', ['servers: kafka'], 'echo "$KAFKA_BROKERS" >>order');
    part('gate', ['gate: 1']);
    part('other', []);
    server('kafka');
    expect(run()).toMatchObject({ status: 0, last: '3 passed, 0 failed' });
    expect(order()).toEqual(['set up', 'gate', 'other', 'kafka start', 'late', '127.0.0.1:9', 'kafka wipe']);
    expect(run('--only', 'other').last).toBe('1 passed, 0 failed');
    expect(run('--only', 'none').status).toBe(2);
  });

  it('starts a server again before a part is repeated, as it may have ended', () => {
    part('late', ['servers: kafka'], 'false');
    server('kafka');
    expect(run().last).toBe('0 passed, 1 failed');
    expect(order()).toEqual(['set up', 'kafka start', 'late', 'kafka wipe', 'kafka start', 'late', 'kafka wipe']);
  });

  it('leaves a server alone that ran before', () => {
    part('late', ['servers: kafka']);
    server('kafka');
    writeFileSync(join(root, 'kafka-runs'), '');
    run();
    expect(order()).toEqual(['set up', 'kafka start', 'late']);
  });

  it('counts what a part counts, and a part that fails without a count as one', () => {
    part('counted', [], 'echo "41 passed, 0 failed"');
    part('failing', [], 'echo "FAIL this and that"', 'exit 3');
    expect(run()).toMatchObject({ status: 1, last: '41 passed, 1 failed' });
    expect(run().stdout).toMatch(/^FAILED failing: status 3\n +FAIL this and that$/m);
  });

  it('fails a part that counts nothing, and a run in which nothing could be checked', () => {
    part('none', [], 'echo "0 passed, 0 failed"');
    expect(run()).toMatchObject({ status: 1, last: '0 passed, 1 failed' });
    part('none', [], 'exit 75');
    expect(run()).toMatchObject({ status: 1, last: '0 passed, 1 failed' });
    expect(run('--only', 'none')).toMatchObject({ status: 0, last: '0 passed, 0 failed' });
    part('none', [], 'echo "5 passed, 2 failed"', 'exit 75');
    expect(run()).toMatchObject({ status: 1, last: '5 passed, 2 failed' });
  });

  it('runs a failed part again after the others, and reports one that passes then as flaky', () => {
    part('chance', ['gate: 1'], 'echo "not ok: was too late"', '[ "$(grep -c chance order)" = 2 ]');
    part('other', ['gate: 2']);
    const { status, stdout, last } = run('--gate');
    expect({ status, last }).toEqual({ status: 0, last: '2 passed, 0 failed' });
    expect(order()).toEqual(['set up', 'chance', 'other', 'chance']);
    expect(stdout).toContain('FLAKY chance: status 1: not ok: was too late');
    expect(JSON.parse(readFileSync(join(root, 'reports', 'flaky.jsonl'), 'utf8'))).toEqual({ what: 'chance', first_failure: 'status 1: not ok: was too late' });
  });

  it('does not repeat what a part has repeated itself, and fails when more than three were flaky', () => {
    part('repeated', [], 'exit 76');
    expect(run()).toMatchObject({ status: 1, last: '0 passed, 1 failed' });
    expect(order()).toEqual(['set up', 'repeated']);
    part('repeated', [], ...['a', 'b', 'c', 'd'].map((what) => `echo '{"what":"${what}","first_failure":"x"}' >>reports/flaky.jsonl`));
    expect(run()).toMatchObject({ status: 1, last: '1 passed, 1 failed' });
  });

  it('names what could not be checked, and why, and counts it neither as passed nor as failed', () => {
    part('without', [], 'echo "no registry answered"', 'exit 75');
    part('unfetched', ['downloads: exit 1']);
    part('serverless', ['servers: none']);
    part('checked', []);
    const { status, stdout, last } = run();
    expect({ status, last }).toEqual({ status: 0, last: '1 passed, 0 failed' });
    expect(stdout).toContain('NOT CHECKED without: no registry answered');
    expect(stdout).toContain('NOT CHECKED unfetched: could not be had: exit 1');
    expect(stdout).toContain('NOT CHECKED serverless: there is no server none');
  });

  it('fails a part whose file asks for what there is not, and tries it once', () => {
    part('wrong', ['downloads: echo asked >>order; exit 78']);
    expect(run()).toMatchObject({ status: 1, last: '0 passed, 1 failed' });
    expect(order()).toEqual(['set up', 'asked']);
  });

  it('fails all parts when the product cannot be set up in three tries', () => {
    program(join(root, '.ci', 'set-up'), 'echo set up >>order', 'exit 1');
    part('one', []);
    part('two', []);
    expect(run()).toMatchObject({ status: 1, last: '0 passed, 2 failed' });
    expect(order()).toEqual(['set up', 'set up', 'set up']);
  });

  it('ends a part with its children at its limit, which follows the speed of the machine', async () => {
    part('slow', ['takes: 0.25'], 'sleep 300 & echo $! >child; wait');
    expect(run().stdout).toMatch(/FAILED slow: ended at its limit/);
    const child = readFileSync(join(root, 'child'), 'utf8').trim();
    // The system removes a process some time after it was killed.
    await eventually('the end of the child', () => !existsSync(join('/proc', child)));
    const { stdout } = spawnSync(process.execPath, [join('.ci', 'runner', 'main.mjs'), '--time-factor', '2.5', '--only', 'slow'], { cwd: root, encoding: 'utf8', env: environment() });
    expect(stdout).toMatch(/^slow +failed +\d +3$/m);
  });

  /** Runs the gate, and ends it when something leaves the file `begun`. */
  async function endedWhenBegun() {
    const child = spawn(process.execPath, argumentsOf(['--gate']), { cwd: root, env: environment() });
    let output = '';
    child.stdout.on('data', (data) => (output += data));
    const closed = once(child, 'close');
    await eventually('its beginning', () => existsSync(join(root, 'begun')));
    child.kill('SIGTERM');
    const [status] = await closed;
    return { status, output };
  }

  it.each([
    ['a check', [], ['touch begun; sleep 300'], /SIGTERM; not run: never\n\n0 passed, 3 failed\n$/],
    ['a download', ['downloads: touch begun; sleep 300'], [], /SIGTERM; not run: endless, never\n\n0 passed, 3 failed\n$/],
  ])('has a verdict when it is ended in %s', async (_what, header, lines, verdict) => {
    part('endless', ['gate: 1', ...header], ...lines);
    part('never', ['gate: 2']);
    const { status, output } = await endedWhenBegun();
    expect(status).toBe(1);
    expect(output).toMatch(verdict);
  });

  it('gives the gate one seed, and the whole run one that it prints and takes', () => {
    part('seeded', ['gate: 1'], 'echo "$CHANCE_SEED" >>seeds');
    const seeds = () => readFileSync(join(root, 'seeds'), 'utf8').trimEnd().split('\n');
    run('--gate');
    run('--gate');
    run('--seed', '7');
    const { stdout } = run();
    expect(seeds().slice(0, 3)).toEqual([seeds()[0], seeds()[0], '7']);
    expect(stdout).toMatch(new RegExp(`^seed ${seeds()[3]} `));
  });

  it('remembers the committed tree that passed, and none that lacks a check', () => {
    part('one', ['gate: 1'], '[ ! -e missing ] || exit 75');
    part('two', ['gate: 2'], '[ ! -e changing ] || { mv changing changed && git add changed && git -c user.name=a -c user.email=a@example.org commit -qm two; }');
    commit();
    writeFileSync(join(root, 'missing'), '');
    run('--gate');
    expect(() => readdirSync(join(root, 'cache'))).toThrow('ENOENT');
    rmSync(join(root, 'missing'));
    writeFileSync(join(root, 'changing'), '');
    expect(run('--gate').status).toBe(0);
    expect(() => readdirSync(join(root, 'cache'))).toThrow('ENOENT');
    run('--gate');
    expect(readdirSync(join(root, 'cache', 'parlance-gate'))).toEqual([git('rev-parse', 'HEAD^{tree}')]);
  });

  describe('a part of spec files', () => {
    /** `npm test` with a report in which these files fail: `first` of a whole run, `again` when run by themselves. */
    function specs({ first, again }: { first: string[]; again: string[] }): void {
      const report = `
        import { appendFileSync, writeFileSync } from 'node:fs';
        const args = process.argv.slice(2);
        const path = args[args.indexOf('--runTestsByPath') + 1];
        const isWhole = !args.includes('--runTestsByPath');
        appendFileSync('order', isWhole ? 'all\\n' : path + '\\n');
        const failing = ${JSON.stringify(first)}.filter((name) => isWhole || (name === path && ${JSON.stringify(again)}.includes(name)));
        const assertionResults = [{ status: 'passed' }, { status: 'failed', fullName: 'counts', failureMessages: ['expected 1'] }];
        const testResults = failing.map((name) => ({ name: process.cwd() + '/' + name, status: 'failed', message: '', assertionResults }));
        writeFileSync(args.at(-1).split('=')[1], JSON.stringify({ numPassedTests: isWhole ? 10 : 2, testResults }));
        process.exit(failing.length > 0 ? 1 : 0);`;
      writeFileSync(join(root, 'report.mjs'), report);
      writeFileSync(join(root, 'package.json'), JSON.stringify({ scripts: { test: 'node report.mjs' } }));
      part('specs', [], 'exec node .ci/runner/jest.mjs specs');
    }

    it('runs a file that failed again by itself, and reports one that passes then as flaky', () => {
      specs({ first: ['a.spec.ts'], again: [] });
      const { status, stdout, last } = run();
      expect({ status, last }).toEqual({ status: 0, last: '11 passed, 0 failed' });
      expect(order()).toEqual(['set up', 'specs', 'all', 'a.spec.ts']);
      expect(stdout).toMatch(/^FLAKY a\.spec\.ts: counts: expected 1$/m);
    });

    it('fails by a file that fails twice, and by more than three that fail', () => {
      specs({ first: ['a.spec.ts', 'b.spec.ts'], again: ['b.spec.ts'] });
      expect(run()).toMatchObject({ status: 1, last: '11 passed, 1 failed' });
      rmSync(join(root, 'order'));
      specs({ first: ['a', 'b', 'c', 'd'], again: [] });
      expect(run()).toMatchObject({ status: 1, last: '10 passed, 4 failed' });
      expect(order()).toEqual(['set up', 'specs', 'all']);
    });
  });

  it.each([['--seed', 'lucky'], ['--time-factor', 'slow'], ['--time-factor', '1e9'], ['--every']])('refuses %s with one line', (...args) => {
    const { status, stderr } = spawnSync(process.execPath, [join('.ci', 'runner', 'main.mjs'), ...args], { cwd: root, encoding: 'utf8' });
    expect(status).toBe(2);
    expect(stderr).toMatch(/^[^\n]*--(seed|time-factor|every)[^\n]*\n$/);
  });

  it('refuses parts that it does not understand with one line', () => {
    const refusal = () => spawnSync(process.execPath, argumentsOf([]), { cwd: root, encoding: 'utf8' });
    part('odd', ['limit: 3']);
    expect(refusal()).toMatchObject({ status: 2, stderr: expect.stringMatching(/^[^\n]*"limit: 3" in its header is none of gate, takes[^\n]*\n$/) });
    part('odd', ['gate: first']);
    expect(refusal()).toMatchObject({ status: 2, stderr: expect.stringMatching(/^[^\n]*its place in the gate is no number\n$/) });
    part('odd', []);
    chmodSync(join(root, '.ci', 'parts', 'odd'), 0o644);
    expect(refusal()).toMatchObject({ status: 2, stderr: expect.stringMatching(/^[^\n]*it is not executable\n$/) });
    part('odd', []);
    part('odd~', []);
    expect(refusal()).toMatchObject({ status: 2, stderr: expect.stringMatching(/^[^\n]*odd~: a part is named by[^\n]*\n$/) });
  });

  it('fails a part that cannot be started or whose output cannot be kept, and goes on', () => {
    part('one', ['gate: 1']);
    writeFileSync(join(root, '.ci', 'parts', 'one'), readFileSync(join(root, '.ci', 'parts', 'one'), 'utf8').replace('/usr/bin/env bash', '/nope'));
    part('two', ['gate: 2']);
    mkdirSync(join(root, 'reports', 'two.log'), { recursive: true });
    part('three', ['gate: 3']);
    const { status, stdout, last } = run('--gate');
    expect({ status, last }).toEqual({ status: 1, last: '1 passed, 2 failed' });
    expect(stdout).toMatch(/^FAILED one: .*ENOENT/m);
    expect(stdout).toMatch(/^FAILED two: The output cannot be kept: .*EISDIR/m);
  });

  it('passes although the tree cannot be noted', () => {
    part('one', ['gate: 1']);
    commit();
    writeFileSync(join(root, 'cache'), '');
    expect(run('--gate')).toMatchObject({ status: 0, last: '1 passed, 0 failed', stdout: expect.stringContaining('The tree that passed cannot be noted') });
  });
});

describe('.ci/checks', () => {
  it('counts what passes and what fails, shows the output of a failure, and leaves no scratch folder', () => {
    const noted = join(tmpdir(), `parlance-checks-${process.pid}`);
    const script = `. .ci/checks
      check 'a program' true
      check 'a function' in_folder
      check 'one that fails' bash -c 'echo because; false'
      verdict`;
    const { status, stdout } = spawnSync('bash', ['-c', `in_folder() { touch "$folder/file"; echo "$folder" >${noted}; }; ${script}`], { cwd: join(runner, '..', '..'), encoding: 'utf8' });
    expect(stdout).toBe('ok   a program\nok   a function\nFAIL one that fails\nbecause\n2 passed, 1 failed\n');
    expect(status).toBe(1);
    expect(existsSync(readFileSync(noted, 'utf8').trim())).toBe(false);
    rmSync(noted);
  });

  it('ends a program at its limit, as long as the machine is slow', () => {
    const seconds = (factor: string) => spawnSync(join(runner, '..', 'seconds'), ['60'], { encoding: 'utf8', env: { ...process.env, TIME_FACTOR: factor } }).stdout;
    expect([seconds('1'), seconds('2.51')]).toEqual(['60s\n', '151s\n']);
  });
});
