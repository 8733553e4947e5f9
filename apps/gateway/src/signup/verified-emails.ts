import { createHash } from 'node:crypto';
import { AppError, type Clock } from '@parlance/platform';
import type { Document, DocumentCollection, DocumentDatabase } from '@parlance/storage';
import { mailboxOf } from './mailbox.js';

/** The account of a verified e-mail address or mailbox; its id is a digest, so that there is only one. */
interface VerifiedEmail extends Document {
  accountId: string;
  /** Set for a mailbox: the digest of the spelling that has its account. */
  spelling?: string;
}

export class VerifiedEmails {
  private readonly collection: DocumentCollection<VerifiedEmail>;

  /** @param unique whether a mailbox has one account, or each spelling of it */
  constructor(
    documents: DocumentDatabase,
    private readonly clock: Clock,
    private readonly unique: 'mailbox' | 'address' = 'mailbox',
  ) {
    this.collection = documents.collection<VerifiedEmail>({
      name: 'verified_emails',
      data: { what: 'digests of e-mail addresses that have an account', purpose: 'one account for each mailbox', kept: 'with the account' },
      account: 'accountId',
      indexes: [{ fields: ['accountId'] }],
    });
  }

  /**
   * An address that has an account keeps it. A new spelling of a mailbox that has one is refused, and does not lead into that
   * account: another person may read it.
   * @param accountId the account's that gets it, when it has none
   * @returns the account that has it
   * @throws AppError mailbox_taken
   */
  async claim(email: string, accountId: string): Promise<string> {
    const id = digestOf(email);
    const owner = (await this.collection.get(id))?.document.accountId;
    if (owner !== undefined) return owner;
    const claimed = this.unique === 'mailbox' ? await this.claimMailbox(email, accountId) : accountId;
    return (await this.insertOrGet({ id, accountId: claimed })).accountId;
  }

  private async claimMailbox(email: string, accountId: string): Promise<string> {
    const mailbox = mailboxOf(email);
    // An account from before mailboxes were counted has its address alone.
    if (mailbox !== email && (await this.collection.get(digestOf(mailbox)))) throw mailboxTaken();
    const spelling = digestOf(email);
    const claim = await this.insertOrGet({ id: digestOf(`mailbox ${mailbox}`), accountId, spelling });
    if (claim.spelling !== spelling) throw mailboxTaken();
    return claim.accountId;
  }

  private async insertOrGet(claim: Omit<VerifiedEmail, 'createdAt'>): Promise<Omit<VerifiedEmail, 'createdAt'>> {
    const isNew = await this.collection.insertIfAbsent({ ...claim, createdAt: this.clock.now().toISOString() });
    return isNew ? claim : ((await this.collection.get(claim.id))?.document ?? claim);
  }
}

const digestOf = (text: string): string => createHash('sha256').update(text).digest('hex');

const mailboxTaken = () => new AppError({ kind: 'conflict', code: 'mailbox_taken', message: 'This mailbox has an account under another spelling of its address. Sign up with that spelling.', retryable: false });
