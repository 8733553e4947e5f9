import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync } from 'node:fs';
import { resolve } from 'node:path';
import { text } from 'node:stream/consumers';
import { expect, it } from '@jest/globals';
import { SAMPLES } from '@parlance/testing';
import { product } from './product.js';

const FOLDER = 'test/vendor-clients';
/** An interpreter with the packages of test/vendor-clients/requirements.txt, as in `.ci/vendor-python`. */
const PYTHON = process.env['VENDOR_PYTHON'];
const SCRIPTS = PYTHON === undefined ? [] : readdirSync(FOLDER).filter((name) => name.endsWith('_test.py'));

// Not `describe.each`, which refuses an empty list.
for (const script of SCRIPTS) {
  it(`the vendor’s client in Python of ${script} works unchanged but for its base URL`, async () => {
    const api = await (await product()).newAccount();
    const env = { ...process.env, PYTHONDONTWRITEBYTECODE: '1', PARLANCE_URL: new URL(api.url).origin, PARLANCE_API_KEY: api.apiKey, RECORDING: resolve(SAMPLES.reading.path) };
    const tests = spawn(PYTHON ?? '', ['-m', 'pytest', '-q', '-p', 'no:cacheprovider', script], { cwd: FOLDER, env, stdio: ['ignore', 'pipe', 'inherit'] });
    const [output, [code]] = await Promise.all([text(tests.stdout), once(tests, 'exit')]);
    if (code !== 0) throw new Error(output);
    expect(output).toMatch(/\d+ passed/);
  });
}
