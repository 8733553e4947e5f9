// Appends to one sealed object, and keeps each state as it is reported.
// node sealed-append-process.mjs <url of the media store> <file of the state> <size of the whole object> <bytes after which the body stalls>
import { readFileSync, renameSync, writeFileSync } from 'node:fs';
import { openMediaStore } from '@parlance/storage';

const [, , url, stateFile, total, stallsAfter] = process.argv;
const dataKey = { id: 'key', key: Buffer.alloc(32, 1) };
const media = await openMediaStore(url, { of: async () => dataKey, find: async () => dataKey, destroy: async () => {} });
const partial = JSON.parse(readFileSync(stateFile, 'utf8'));

async function* rest() {
  for (let at = partial.sizeBytes; at < Number(total); ) {
    const isStalled = at - partial.sizeBytes > Number(stallsAfter);
    await new Promise((resolve) => (isStalled ? setInterval(() => {}, 1000) : setImmediate(resolve)));
    const piece = Buffer.alloc(Math.min(50_000, Number(total) - at));
    for (let index = 0; index < piece.length; index += 1) piece[index] = ((at + index) * 7) % 251;
    at += piece.length;
    yield piece;
  }
}

await media.append(partial, rest(), {
  maxBytes: Number(total),
  onStored: async (next) => {
    writeFileSync(`${stateFile}.new`, JSON.stringify(next));
    renameSync(`${stateFile}.new`, stateFile);
  },
});
