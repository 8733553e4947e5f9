// Rotates the keys of a database over and over, until it is killed.
// node rotation-process.mjs <keys.db> <key file>
import { systemClock, ulidGenerator } from '@parlance/platform';
import { KeyRotation, openDocumentDatabase, openKeyProvider, ROTATION_SETTLE_MS } from '@parlance/storage';

const [, , database, keyFile] = process.argv;
const documents = await openDocumentDatabase(`sqlite:${database}`, { clock: systemClock, ids: ulidGenerator(), source: 'keys', durability: 'process' });
const provider = await openKeyProvider(`local:${keyFile}`);
process.stdout.write('rotating\n');
for (let elapsedMs = 0; ; elapsedMs += ROTATION_SETTLE_MS) {
  const clock = { ...systemClock, now: () => new Date(Date.now() + elapsedMs) };
  await new KeyRotation({ documents, provider, clock }).run();
}
