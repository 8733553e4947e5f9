import { createHash } from 'node:crypto';
import { AppError, type Clock, type IdGenerator } from '@parlance/platform';
import type { Document, DocumentCollection, DocumentDatabase } from '@parlance/storage';
import { sweepExpired } from '../expired-documents.js';
import { hashesEqual } from '../keys/api-key-format.js';

/** A sign-up that waits for the code that was sent; every replica knows it, and so does the next start. */
export interface PendingSignup extends Document {
  email: string;
  organization?: string;
  /** The id of the account to create, unless the address has one; chosen now, so that two attempts create one account. */
  accountId: string;
  /** SHA-256 of id and code. */
  codeHash: string;
  expiresAt: string;
  /** Wrong codes so far. */
  wrong: number;
}

const CODE_DIGITS = 8;
export const CODE_MINUTES = 15;
/** Together with the mails an hour that an address gets, a chance of one in four million an hour. */
const MAX_WRONG = 5;
const SWEEP_BATCH = 100;

/** An integer below the bound, each as likely, fit for secrets. */
export type RandomBelow = (bound: number) => number;

export class PendingSignups {
  private readonly collection: DocumentCollection<PendingSignup>;

  constructor(
    documents: DocumentDatabase,
    private readonly clock: Clock,
    private readonly ids: IdGenerator,
    private readonly random: RandomBelow,
  ) {
    this.collection = documents.collection<PendingSignup>({
      name: 'signups',
      data: { what: 'e-mail address and organization of a sign-up that waits for its code', purpose: 'sign-up', kept: '15 minutes', recipients: 'the mail server: `SMTP_URL`' },
      indexes: [{ fields: [], orderBy: 'expiresAt' }],
    });
  }

  /** @returns the code, which is stored nowhere */
  async begin({ email, organization }: { email: string; organization?: string | undefined }): Promise<{ pending: PendingSignup; code: string }> {
    const now = this.clock.now();
    const id = this.ids.next('sgn');
    const code = String(this.random(10 ** CODE_DIGITS)).padStart(CODE_DIGITS, '0');
    const pending: PendingSignup = {
      id,
      createdAt: now.toISOString(),
      email,
      ...(organization !== undefined && { organization }),
      accountId: this.ids.next('acc'),
      codeHash: hashOf(id, code),
      expiresAt: new Date(now.getTime() + CODE_MINUTES * 60_000).toISOString(),
      wrong: 0,
    };
    await this.collection.insert(pending);
    return { pending, code };
  }

  /** The sign-up that the code belongs to; a wrong code is counted. @throws AppError code_invalid, which says no more than that */
  async check(id: string, code: string): Promise<PendingSignup> {
    const now = this.clock.now().toISOString();
    let right: PendingSignup | undefined;
    await this.collection.update(id, (current) => {
      right = undefined;
      if (!current || current.expiresAt <= now || current.wrong >= MAX_WRONG) return undefined;
      if (!hashesEqual(current.codeHash, hashOf(id, code))) return { document: { ...current, wrong: current.wrong + 1 } };
      right = current;
      return undefined;
    });
    if (!right) throw codeInvalid();
    return right;
  }

  /** Its code works no more. */
  async end(id: string): Promise<void> {
    await this.collection.remove(id);
  }

  sweep(): Promise<void> {
    return sweepExpired(this.collection, this.clock, SWEEP_BATCH);
  }
}

const hashOf = (id: string, code: string): string => createHash('sha256').update(`${id}\0${code}`).digest('hex');

const codeInvalid = () =>
  new AppError({ kind: 'invalid', code: 'code_invalid', message: `The code is wrong, was used, or is older than ${CODE_MINUTES} minutes. After ${MAX_WRONG} wrong entries a code is invalid: sign up again.` });
