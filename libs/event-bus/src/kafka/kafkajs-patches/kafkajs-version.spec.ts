import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { expect, it } from '@jest/globals';
import { PATCHED_VERSION } from './index.js';

const require = createRequire(import.meta.url);

it('kafkajs is installed, and pinned, in the version that is patched', () => {
  const { version } = require('kafkajs/package.json') as { version: string };
  const { dependencies } = JSON.parse(readFileSync('libs/event-bus/package.json', 'utf8')) as { dependencies: Record<string, string> };
  expect([version, dependencies.kafkajs]).toEqual([PATCHED_VERSION, PATCHED_VERSION]);
});
