import { run } from './run.js';

process.exitCode = await run(process.argv.slice(2), process);
// A pipe that is still open, as after Ctrl-C, would keep the process.
process.stdin.destroy();
