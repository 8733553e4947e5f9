import { Inject, Injectable } from '@nestjs/common';
import type { Clock } from '@parlance/platform';
import { CLOCK, DOCUMENTS } from '@parlance/runtime';
import type { CollectionDefinition, Document, DocumentCollection, DocumentDatabase } from '@parlance/storage';
import { calculateJwkThumbprint, CompactSign, compactVerify, exportJWK, generateKeyPair, importJWK, type JWK } from 'jose';
import type { ChainHead } from './audit-chain.js';
import { auditAnchorCollection, type AuditAnchor } from './audit-record.js';

/** A key pair that signs anchors (Ed25519), as JSON Web Keys. */
interface AuditSigningKey extends Document {
  publicKey: JWK;
  privateKey: JWK;
}

/** No account has this id: the private key is sealed by a key that no erasure destroys. */
const OWNER = 'audit';

const signingKeyCollection: CollectionDefinition<AuditSigningKey> = {
  name: 'audit_signing_keys',
  data: { what: 'the key pair that signs places in the audit log', purpose: 'to verify the audit log', kept: 'with the installation' },
  indexes: [],
  sealed: { fields: ['privateKey'], owner: () => ({ accountId: OWNER, holder: '' }) },
};

/** The id of the key that signs. Processes that start at once make one key, as one of them stores it. */
const SIGNING_KEY_ID = 'anchors';

/** RFC 8037. */
const ALGORITHM = 'EdDSA';
const TYPE = 'audit-anchor+jws';

/** The places at which the chains of the accounts begin after records were removed, signed so that no other place is taken for one. */
@Injectable()
export class AuditAnchors {
  private readonly anchors: DocumentCollection<AuditAnchor>;
  private readonly keys: DocumentCollection<AuditSigningKey>;

  constructor(
    @Inject(DOCUMENTS) documents: Pick<DocumentDatabase, 'collection'>,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {
    this.anchors = documents.collection(auditAnchorCollection);
    this.keys = documents.collection(signingKeyCollection);
  }

  all(): AsyncIterable<{ document: AuditAnchor }> {
    return this.anchors.all();
  }

  async of(accountId: string): Promise<AuditAnchor | undefined> {
    return (await this.anchors.get(accountId))?.document;
  }

  /** Stores the place, unless a later one is stored. */
  async move(accountId: string, { sequence, hash }: ChainHead): Promise<void> {
    const createdAt = this.clock.now().toISOString();
    const jws = await this.sign({ account_id: accountId, sequence, hash, removed_at: createdAt });
    await this.anchors.update(accountId, (current) => (current && current.sequence >= sequence ? undefined : { document: { id: accountId, createdAt, sequence, hash, jws } }));
  }

  /** True when the installation has signed this place. The public key comes out of the sealed one: a key that was put beside it is not believed. */
  async isSigned({ id, sequence, hash, jws }: AuditAnchor): Promise<boolean> {
    const { kty, crv, x } = (await this.keys.get(SIGNING_KEY_ID))?.document.privateKey ?? {};
    if (kty === undefined || crv === undefined || x === undefined) return false;
    try {
      const { payload, protectedHeader } = await compactVerify(jws, await importJWK({ kty, crv, x }, ALGORITHM), { algorithms: [ALGORITHM] });
      const signed = JSON.parse(Buffer.from(payload).toString('utf8')) as Record<string, unknown>;
      return protectedHeader.typ === TYPE && signed['account_id'] === id && signed['sequence'] === sequence && signed['hash'] === hash;
    } catch {
      return false;
    }
  }

  /** The public key that anchors can be verified with; none before the first anchor. */
  async publicKeys(): Promise<JWK[]> {
    const key = (await this.keys.get(SIGNING_KEY_ID))?.document.publicKey;
    return key ? [key] : [];
  }

  private async sign(claims: object): Promise<string> {
    const { publicKey, privateKey } = (await this.keys.get(SIGNING_KEY_ID))?.document ?? (await this.makeKey());
    const header = { alg: ALGORITHM, typ: TYPE, ...(publicKey.kid !== undefined && { kid: publicKey.kid }) };
    return new CompactSign(Buffer.from(JSON.stringify(claims))).setProtectedHeader(header).sign(await importJWK(privateKey, ALGORITHM));
  }

  private async makeKey(): Promise<AuditSigningKey> {
    const pair = await generateKeyPair(ALGORITHM, { extractable: true });
    const publicKey = await exportJWK(pair.publicKey);
    const kid = await calculateJwkThumbprint(publicKey);
    const key: AuditSigningKey = { id: SIGNING_KEY_ID, createdAt: this.clock.now().toISOString(), publicKey: { ...publicKey, kid, alg: ALGORITHM, use: 'sig' }, privateKey: await exportJWK(pair.privateKey) };
    const { stored } = await this.keys.update(SIGNING_KEY_ID, (current) => (current ? undefined : { document: key }));
    return stored?.document ?? key;
  }
}
