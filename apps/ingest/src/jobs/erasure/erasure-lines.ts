import { createReadStream } from 'node:fs';
import { open, type FileHandle } from 'node:fs/promises';
import { dirname } from 'node:path';
import { createInterface } from 'node:readline';
import { AppError, syncFolder } from '@parlance/platform';
import { z } from 'zod';
import { isErasedAccount, type Erased } from './erased.js';

const jobLine = z.object({ job_id: z.string().regex(/^job_\w+$/), account_id: z.string().min(1), erased_at: z.iso.datetime() });
const accountLine = z.object({ account_erasure_id: z.string().min(1), account_id: z.string().min(1), erased_at: z.iso.datetime() });


/** One erasure as a line of an erasure log: JSON, as ingest appends it to ERASURE_LOG and `erasures export` prints it. */
export function erasureLine(erased: Erased): string {
  const { accountId, erasedAt } = erased;
  const what = isErasedAccount(erased) ? { account_erasure_id: erased.accountErasureId } : { job_id: erased.jobId };
  return JSON.stringify({ ...what, account_id: accountId, erased_at: erasedAt });
}

/**
 * Appends it to the file, and brings it to the disk. What is there twice counts once.
 * @throws AppError service_unavailable, an outage: nothing is wrong with the erasure, and the disk may come back
 */
export async function appendErasure(path: string, job: Erased): Promise<void> {
  try {
    await append(path, job);
  } catch (error) {
    throw logAway(path, error);
  }
}

async function append(path: string, job: Erased): Promise<void> {
  const file = await open(path, 'a+', 0o600);
  try {
    const { size } = await file.stat();
    // The line before may have been cut by the death of its writer.
    const start = (await isCut(file, size)) ? '\n' : '';
    await file.appendFile(`${start}${erasureLine(job)}\n`);
    await file.sync();
    // A new file survives a power cut only with its name.
    if (size === 0) await syncFolder(dirname(path));
  } finally {
    await file.close();
  }
}

async function isCut(file: FileHandle, size: number): Promise<boolean> {
  if (size === 0) return false;
  const { buffer } = await file.read(Buffer.alloc(1), 0, 1, size - 1);
  return buffer.toString() !== '\n';
}

/**
 * The jobs and accounts of an erasure log, each once. A line that was cut by the death of its writer is left out: the erasure was reported
 * only after a whole one. @throws AppError for any other line that is none
 */
export async function readErasureLines(path: string): Promise<Erased[]> {
  const erasures = new Map<string, Erased>();
  let number = 0;
  for await (const text of createInterface({ input: createReadStream(path, 'utf8'), crlfDelay: Infinity })) {
    number += 1;
    if (text.trim() === '') continue;
    const erased = parsed(text);
    if (erased) erasures.set(isErasedAccount(erased) ? erased.accountErasureId : erased.jobId, erased);
    else if (!text.startsWith('{') || text.endsWith('}')) throw notAnErasure(path, number);
  }
  return [...erasures.values()];
}

function parsed(text: string): Erased | undefined {
  try {
    const read = z.union([jobLine, accountLine]).parse(JSON.parse(text));
    const { account_id: accountId, erased_at: erasedAt } = read;
    return 'job_id' in read ? { jobId: read.job_id, accountId, erasedAt } : { accountErasureId: read.account_erasure_id, accountId, erasedAt };
  } catch {
    return undefined;
  }
}

const logAway = (path: string, cause: unknown) =>
  new AppError({ kind: 'unavailable', code: 'service_unavailable', message: `The erasure log ${path} cannot be written: ${(cause as Error).message}`, cause });

const notAnErasure = (path: string, number: number) =>
  new AppError({ kind: 'invalid', code: 'invalid_erasure_log', message: `Line ${number} of ${path} is not an erasure: {"job_id", "account_id", "erased_at"}.` });
