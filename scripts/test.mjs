// `npm test`: sets up, then runs the unit, contract and system tests of the embedded shape, without those that are slow
// (test/slow-tests.mjs). `TESTS=all npm test` runs all, and with arguments, which go to Jest, all that these choose.
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { nodeProgram, root, runScript, setUp } from './setup.mjs';

/**
 * Jest starts its workers with these flags of its own process; processes that tests start do not have them.
 * A young generation of 64 MB saves a tenth of the processor time of suites.
 */
const FLAGS = ['--experimental-vm-modules', '--disable-warning=ExperimentalWarning', '--max-semi-space-size=64'];

const args = process.argv.slice(2);

await runScript(async () => {
  // Tests make certificates with openssl.
  await setUp({ programs: ['openssl'] });
  // By the Node of the product: this one may be older, and then some packages cannot be loaded.
  const made = spawnSync(nodeProgram(), [join(root, 'scripts', 'make-test-packages.mjs')], { cwd: root, stdio: 'inherit' });
  if (made.status !== 0) throw new Error('The packages for the tests could not be bundled.');
  const { status } = spawnSync(nodeProgram(), [...FLAGS, join(root, 'node_modules', 'jest', 'bin', 'jest.js'), ...args], {
    cwd: root,
    stdio: 'inherit',
    env: {
      // Tests start the product a hundred times. Not for `npm start`: what is kept so takes 10 MB of its memory.
      NODE_COMPILE_CACHE: join(root, 'node_modules', '.cache', 'compiled'),
      TEST_SOURCE_MAPS: 'off',
      TESTS: args.length === 0 ? 'quick' : 'all',
      ...process.env,
    },
  });
  process.exitCode = status ?? 1;
});
