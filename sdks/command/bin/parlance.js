#!/usr/bin/env node
import { existsSync } from 'node:fs';

const main = new URL('../dist/main.js', import.meta.url);
if (existsSync(main)) {
  await import(main.href);
} else {
  process.stderr.write('error: parlance is not built. In the repository, `npm run parlance -- …` builds and runs it.\n');
  process.exitCode = 1;
}
