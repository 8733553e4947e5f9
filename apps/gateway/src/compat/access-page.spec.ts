import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { RequestMethod } from '@nestjs/common';
import { describe, expect, it } from '@jest/globals';
import { ROUTE_TABLE } from '../docs/route-table.js';
import { AsrController } from './asr/asr.controller.js';
import { AssemblyAiController } from './assemblyai/assemblyai.controller.js';
import { DeepgramController } from './deepgram/deepgram.controller.js';
import { OpenAiController } from './openai/openai.controller.js';
import { RealtimeController } from './openai/realtime/realtime.controller.js';

const PAGE = fileURLToPath(new URL('../../../../docs/reference/access.md', import.meta.url));
const CONTROLLERS = [AsrController, AssemblyAiController, DeepgramController, OpenAiController, RealtimeController];

/** The routes of each handler: the same under several roots. */
function routesOf({ prototype }: { prototype: object }): string[][] {
  const names = Object.getOwnPropertyNames(prototype).filter((name) => name !== 'constructor');
  const handlers = names.map((name) => (prototype as Record<string, object>)[name]).filter((handler) => handler && Reflect.hasMetadata('path', handler));
  return handlers.map((handler = {}) => {
    const method = RequestMethod[Reflect.getMetadata('method', handler) as RequestMethod];
    return [Reflect.getMetadata('path', handler) as string | string[]].flat().map((path) => `${method} ${path}`);
  });
}

describe('docs/reference/access.md', () => {
  it('has each operation, and each route of other vendors’ APIs', async () => {
    const page = await readFile(PAGE, 'utf8');
    const isThere = (name: string) => page.includes(`| \`${name.replace(':job_id', '{id}').replace(':model', 'whisper-1')}\` |`);
    const routes = CONTROLLERS.flatMap(routesOf);
    expect(routes.length).toBeGreaterThan(15);
    expect(ROUTE_TABLE.map(({ id }) => id).filter((id) => !isThere(id))).toEqual([]);
    expect(routes.filter((paths) => !paths.some(isThere))).toEqual([]);
  });
});
