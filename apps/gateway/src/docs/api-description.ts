import { readFile } from 'node:fs/promises';

/** As `npm run generate` writes it. Making it from the routes again would hold the event loop for 70 ms. */
const FILE = new URL('../../openapi.json', import.meta.url);

let description: Promise<Buffer> | undefined;

/** The API description as bytes of JSON, which are shared by all answers. */
export function apiDescription(): Promise<Buffer> {
  description ??= readFile(FILE, 'utf8').then((text) => Buffer.from(withoutIndentation(text)));
  return description;
}

/** JSON.stringify starts each line but the first with blanks, and puts none into a string. */
const withoutIndentation = (json: string): string => json.replace(/\n */g, '');
