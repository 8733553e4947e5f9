import type { AccountTools } from '@parlance/ingest/operators';
import { systemClock } from '@parlance/platform';
import type { AdminTools } from './admin-tools.js';
import type { ServerOptions } from './options.js';

/** Does something about the jobs of an account, or its holds, in the documents of ingest. */
export async function onWork({ say, withDocuments }: AdminTools, { timeout }: ServerOptions, work: (tools: AccountTools) => Promise<void>): Promise<void> {
  // Only the commands that need it wait for it to load.
  const { AccountTools: Tools } = await import('@parlance/ingest/operators');
  await withDocuments('ingest', { timeout, onWait: (reason) => say(`Waiting for MongoDB: ${reason}`) }, (documents) => work(new Tools(documents, systemClock)));
}
