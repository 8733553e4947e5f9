// `npm start`: sets up, then runs all seven services in one process.
import { runProduct } from './run-product.mjs';
import { runScript, setUp } from './setup.mjs';

await runScript(async () => {
  const given = process.argv.slice(2);
  await setUp({ yes: given.includes('--yes') });
  process.exitCode = await runProduct(given.filter((argument) => argument !== '--yes'));
});
