import { Inject, Injectable } from '@nestjs/common';
import type { Clock } from '@parlance/platform';
import { CLOCK, DOCUMENTS } from '@parlance/runtime';
import type { DocumentCollection, DocumentDatabase } from '@parlance/storage';
import { calculateJwkThumbprint, CompactSign, exportJWK, generateKeyPair, importJWK, type CryptoKey, type JWK } from 'jose';
import { KEPT, type AccountErasure } from '../../accounts/account-erasure.js';
import type { Erasure } from './erasure.js';
import { receiptSigningKeys, SIGNING_KEY_ID, type ReceiptSigningKey } from './receipt-signing-key.js';

/** RFC 8037. */
const ALGORITHM = 'EdDSA';
const TYPE = 'erasure-receipt+jws';
const ACCOUNT_TYPE = 'account-erasure-receipt+jws';

interface Signer {
  kid: string;
  key: CryptoKey | Uint8Array;
}

/** Signs the receipts of complete erasures as compact JWS (RFC 7515). EdDSA is deterministic: a receipt has one signature, whenever it is read. */
@Injectable()
export class ErasureReceipts {
  private readonly keys: DocumentCollection<ReceiptSigningKey>;
  private signer: Promise<Signer> | undefined;

  constructor(
    @Inject(DOCUMENTS) documents: DocumentDatabase,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {
    this.keys = documents.collection(receiptSigningKeys);
  }

  /** @returns undefined while a service has not reported */
  async sign(erasure: Erasure): Promise<string | undefined> {
    return erasure.completedAt === undefined ? undefined : this.signed(claimsOf(erasure), TYPE);
  }

  /** The receipt of an account. @returns undefined while it is not complete */
  async signAccount(erasure: AccountErasure): Promise<string | undefined> {
    return erasure.completedAt === undefined ? undefined : this.signed(accountClaims(erasure), ACCOUNT_TYPE);
  }

  private async signed(claims: object, typ: string): Promise<string> {
    const { kid, key } = await this.openSigner();
    return new CompactSign(Buffer.from(JSON.stringify(claims))).setProtectedHeader({ alg: ALGORITHM, kid, typ }).sign(key);
  }

  /** The public keys that receipts can be verified with. */
  async publicKeys(): Promise<JWK[]> {
    await this.openSigner();
    const keys: JWK[] = [];
    for await (const { document } of this.keys.all()) keys.push(document.publicKey);
    return keys;
  }

  private openSigner(): Promise<Signer> {
    this.signer ??= this.loadSigner().catch((error: unknown) => {
      this.signer = undefined;
      throw error;
    });
    return this.signer;
  }

  private async loadSigner(): Promise<Signer> {
    const stored = (await this.keys.get(SIGNING_KEY_ID))?.document ?? (await this.makeKey());
    return { kid: stored.publicKey.kid ?? '', key: await importJWK(stored.privateKey, ALGORITHM) };
  }

  private async makeKey(): Promise<ReceiptSigningKey> {
    const pair = await generateKeyPair(ALGORITHM, { extractable: true });
    const publicKey = await exportJWK(pair.publicKey);
    const kid = await calculateJwkThumbprint(publicKey);
    const key: ReceiptSigningKey = { id: SIGNING_KEY_ID, createdAt: this.clock.now().toISOString(), publicKey: { ...publicKey, kid, alg: ALGORITHM, use: 'sig' }, privateKey: await exportJWK(pair.privateKey) };
    const { stored } = await this.keys.update(SIGNING_KEY_ID, (current) => (current ? undefined : { document: key }));
    return stored?.document ?? key;
  }
}

const accountClaims = ({ id, accountId, createdAt, completedAt, items }: AccountErasure) => ({
  erasure_id: id,
  account_id: accountId,
  status: 'completed',
  requested_at: createdAt,
  completed_at: completedAt,
  items: items.map(({ what, where, count }) => ({ what, where, when: completedAt, count })),
  kept: KEPT,
});

/** The receipt as the API shows it, with the account that it is of. */
const claimsOf = ({ id, jobId, accountId, projectId, createdAt, completedAt, items }: Erasure) => ({
  erasure_id: id,
  job_id: jobId,
  account_id: accountId,
  ...(projectId !== undefined && { project_id: projectId }),
  status: 'completed',
  requested_at: createdAt,
  completed_at: completedAt,
  items: items.map(({ what, where, when, count }) => ({ what, where, when, count })),
});
