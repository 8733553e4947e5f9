// Seals the results of jwcrypto.json for the same keys, as the server does: node make-vectors.mjs >jose.json, after a build of the server.
import { readFileSync } from 'node:fs';
import { sealForKey } from '../../../apps/ingest/dist/sealing/seal-for-key.js';

const PRIVATE = new Set(['d', 'p', 'q', 'dp', 'dq', 'qi']);
const vectors = JSON.parse(readFileSync(new URL('jwcrypto.json', import.meta.url), 'utf8'));
const sealed = vectors.map(async (vector) => {
  const publicKey = Object.fromEntries(Object.entries(vector.private_key).filter(([name]) => !PRIVATE.has(name)));
  return { ...vector, jwe: await sealForKey(Buffer.from(JSON.stringify(vector.result)), JSON.stringify(publicKey)) };
});
process.stdout.write(`${JSON.stringify(await Promise.all(sealed), undefined, 1)}\n`);
