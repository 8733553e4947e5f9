import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { text } from 'node:stream/consumers';
import { describe, expect, it } from '@jest/globals';
import { SAMPLES } from '@parlance/testing';
import { product } from '../../system/fixture-engine/product.js';

const FOLDER = 'test/vendor-clients';
/** An interpreter with the packages of test/vendor-clients/requirements.txt, as in `.ci/parts/vendor-python`. */
const PYTHON = process.env['VENDOR_PYTHON'];
const SCRIPTS = readdirSync(FOLDER).filter((name) => name.endsWith('_test.py'));

const ifInstalled = PYTHON === undefined ? describe.skip : describe;

ifInstalled.each(SCRIPTS)('the vendor’s client in Python of %s', (script) => {
  it('works unchanged but for its base URL', async () => {
    const api = await (await product()).newAccount();
    const env = { ...process.env, PYTHONDONTWRITEBYTECODE: '1', PARLANCE_URL: new URL(api.url).origin, PARLANCE_API_KEY: api.apiKey, RECORDING: resolve(SAMPLES.reading.path) };
    const tests = spawn(PYTHON ?? '', ['-m', 'pytest', '-q', '-p', 'no:cacheprovider', script], { cwd: FOLDER, env, stdio: ['ignore', 'pipe', 'inherit'] });
    const [output, [code]] = await Promise.all([text(tests.stdout), once(tests, 'exit')]);
    if (code !== 0) throw new Error(output);
    expect(output).toMatch(/\d+ passed/);
  });
});

ifInstalled('the vendor’s client in Python of the README', () => {
  it('transcribes with the lines as they stand', async () => {
    const [, lines] = /```python\n([^`]+)```/u.exec(readFileSync('README.md', 'utf8')) ?? [];
    const api = await (await product()).newAccount();
    const env = { ...process.env, OPENAI_BASE_URL: `${new URL(api.url).origin}/v1`, OPENAI_API_KEY: api.apiKey };
    const program = spawn(PYTHON ?? '', ['-c', lines ?? ''], { env, stdio: ['ignore', 'pipe', 'inherit'] });
    const [output, [code]] = await Promise.all([text(program.stdout), once(program, 'exit')]);
    expect(code).toBe(0);
    expect(output.trim()).not.toBe('');
  });
});
