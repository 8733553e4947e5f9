import { readFile } from 'node:fs/promises';
import { keepSuccess } from '@parlance/platform';

/** As `npm run generate` writes it. Making it from the routes again would hold the event loop for 70 ms. */
const FILE = new URL('../../openapi.json', import.meta.url);

/** The API description as bytes of JSON, which are shared by all answers. */
export const apiDescription = keepSuccess(async () => Buffer.from(JSON.stringify(JSON.parse(await readFile(FILE, 'utf8')))));
