// `npm test`: sets up, then runs every unit, contract and system test of the embedded shape. Arguments go to Jest.
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { nodeProgram, root, runScript, setUp } from './setup.mjs';

/**
 * Jest starts its workers with these flags of its own process; processes that tests start do not have them.
 * A young generation of 64 MB saves a tenth of the processor time of suites.
 */
const FLAGS = ['--experimental-vm-modules', '--disable-warning=ExperimentalWarning', '--max-semi-space-size=64'];

await runScript(async () => {
  // Tests make certificates with openssl.
  await setUp({ programs: ['openssl'] });
  const { makeTestPackages } = await import('./test-packages.mjs');
  await makeTestPackages();
  const { status } = spawnSync(nodeProgram(), [...FLAGS, join(root, 'node_modules', 'jest', 'bin', 'jest.js'), ...process.argv.slice(2)], {
    cwd: root,
    stdio: 'inherit',
    env: {
      // Tests start the product a hundred times. Not for `npm start`: what is kept so takes 10 MB of its memory.
      NODE_COMPILE_CACHE: join(root, 'node_modules', '.cache', 'compiled'),
      TEST_SOURCE_MAPS: 'off',
      ...process.env,
    },
  });
  process.exitCode = status ?? 1;
});
