// Writes apps/gateway/openapi.json, the committed API description, from the built gateway.
import { writeFile } from 'node:fs/promises';
import { openApiDocument } from '../apps/gateway/dist/docs/openapi.js';

await writeFile(new URL('../apps/gateway/openapi.json', import.meta.url), `${JSON.stringify(openApiDocument(), null, 2)}\n`);
