// `npm start`: sets up, then runs all seven services in one process.
import { runProduct } from './run-product.mjs';
import { runScript, setUp } from './setup.mjs';

await runScript(async () => {
  await setUp();
  process.exitCode = await runProduct(process.argv.slice(2));
});
