import type { CollectionDefinition, Document } from '@parlance/storage';
import type { JWK } from 'jose';

/** A key pair that signs receipts of erasures (Ed25519), as JSON Web Keys. */
export interface ReceiptSigningKey extends Document {
  publicKey: JWK;
  privateKey: JWK;
}

/** No account has this id: the private key is sealed by a key that the provider's master key wraps, and that no erasure destroys. */
const OWNER = 'receipts';

export const receiptSigningKeys: CollectionDefinition<ReceiptSigningKey> = {
  name: 'receipt_signing_keys',
  data: { what: 'private keys that sign receipts', purpose: 'to prove erasures', kept: 'no end' },
  indexes: [],
  sealed: { fields: ['privateKey'], owner: () => ({ accountId: OWNER, holder: '' }) },
};

/** The id of the key that signs. Processes that start at once make one key, as one of them stores it. */
export const SIGNING_KEY_ID = 'erasures';
