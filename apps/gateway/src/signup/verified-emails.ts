import { createHash } from 'node:crypto';
import { toAppError, type Clock } from '@parlance/platform';
import type { Document, DocumentCollection, DocumentDatabase } from '@parlance/storage';

/** Whose an e-mail address is, as was proved; its id is the digest of the address, so that there is one. */
interface VerifiedEmail extends Document {
  accountId: string;
}

export class VerifiedEmails {
  private readonly collection: DocumentCollection<VerifiedEmail>;

  constructor(
    documents: DocumentDatabase,
    private readonly clock: Clock,
  ) {
    this.collection = documents.collection<VerifiedEmail>({ name: 'verified_emails', indexes: [] });
  }

  /** @param accountId the account's that gets it, when it has none @returns the account that has it */
  async claim(email: string, accountId: string): Promise<string> {
    const id = createHash('sha256').update(email).digest('hex');
    try {
      await this.collection.insert({ id, createdAt: this.clock.now().toISOString(), accountId });
      return accountId;
    } catch (error) {
      if (toAppError(error).kind !== 'conflict') throw error;
      return (await this.collection.get(id))?.document.accountId ?? accountId;
    }
  }
}
