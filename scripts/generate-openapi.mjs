// Writes apps/gateway/openapi.json, the committed API description, from the built gateway.
import { writeFile } from 'node:fs/promises';
import { openApiDocument } from '../apps/gateway/dist/docs/openapi.js';
import { readableJson } from './readable-json.mjs';

await writeFile(new URL('../apps/gateway/openapi.json', import.meta.url), `${readableJson(openApiDocument())}\n`);
