import { fromServerError, isPassing, searchUnavailable, type ServerError } from './opensearch-errors.js';
import { WRITING, type OpenSearchServer } from './opensearch-server.js';

/** A document that is there afterwards unless one of a higher version is. */
interface BulkWrite {
  id: string;
  version: number;
  document: object;
}

interface BulkAnswer {
  errors: boolean;
  items: { index: { status: number; error?: ServerError } }[];
}

/** The maximum number of documents in one request. */
const MAX_DOCUMENTS = 500;
const MAX_BYTES = 4 * 1024 * 1024;
const CONFLICT = 409;

/** @returns ids of those that a higher version was there of */
export async function writeAll(server: OpenSearchServer, alias: string, writes: readonly BulkWrite[]): Promise<string[]> {
  const outdated: string[] = [];
  for (const some of batches(writes)) outdated.push(...(await writeBatch(server, alias, some)));
  return outdated;
}

async function writeBatch(server: OpenSearchServer, alias: string, batch: readonly BulkWrite[]): Promise<string[]> {
  const outdated: string[] = [];
  const started = performance.now();
  let left = batch;
  for (let tries = 1; ; tries += 1) {
    const lines = left.flatMap(({ id, version, document }) => [{ index: { _id: id, version, version_type: 'external_gte' } }, document]);
    // Without an index behind it, the server would make one of the alias's name, and guess its mapping.
    const answer = await server.call<BulkAnswer>({ method: 'POST', path: `/${alias}/_bulk`, query: { require_alias: true }, lines }, WRITING);
    if (!answer.errors) return outdated;
    const again: BulkWrite[] = [];
    let reason: ServerError = {};
    answer.items.forEach(({ index: { status, error } }, at) => {
      const write = left[at] as BulkWrite;
      if (!error) return;
      if (status === CONFLICT) outdated.push(write.id);
      else if (isPassing(status, error)) again.push(write);
      else throw itemError(error);
      reason = error;
    });
    if (again.length === 0) return outdated;
    const waitMs = server.waitAfter(tries);
    if (performance.now() - started + waitMs > WRITING.tries) throw fromServerError(reason) ?? itemError(reason);
    left = again;
    await server.pause(waitMs);
  }
}

/** The server's reason may quote the document, so that only its class is passed on. */
const itemError = (error: ServerError) => fromServerError(error) ?? searchUnavailable(`The search server refused a document (${error.type ?? 'no reason given'}).`);

function* batches(writes: readonly BulkWrite[]): Generator<BulkWrite[]> {
  let batch: BulkWrite[] = [];
  let bytes = 0;
  for (const write of writes) {
    const size = JSON.stringify(write.document).length;
    if (batch.length > 0 && (batch.length === MAX_DOCUMENTS || bytes + size > MAX_BYTES)) {
      yield batch;
      batch = [];
      bytes = 0;
    }
    batch.push(write);
    bytes += size;
  }
  if (batch.length > 0) yield batch;
}
