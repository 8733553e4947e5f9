import { openBytes, sealBytes } from '../../keys/aead.js';
import type { DataKey } from '../../keys/data-keys.js';
import { wrongKey } from '../../keys/provider/keys-unavailable.js';
import type { KeyOwner } from '../../keys/wrapped-data-keys.js';
import type { CollectionDefinition, Document } from '../document-collection.js';
import { OpenedTexts } from './opened-texts.js';

/** The field of the stored form that takes the place of all sealed ones. */
const ENVELOPE = 'sealed';

/** Takes the place of the sealed fields: names their key, and has their JSON, encrypted. */
interface Envelope extends KeyOwner {
  key: string;
  data: string;
}

/** An envelope and the JSON that it seals. */
export interface OpenedEnvelope {
  envelope: Envelope;
  secret: string;
}

type StoredForm = Document & { [ENVELOPE]?: Envelope };

/** Moves the sealed fields of one collection's documents into an envelope and back. Documents without one are read as they are. */
export class SealedFields<T extends Document> {
  private readonly fields: ReadonlySet<string>;
  private readonly definition: CollectionDefinition<T> & Required<Pick<CollectionDefinition<T>, 'sealed'>>;
  private readonly kept: OpenedTexts | undefined;

  /** @param service the collection's service, so that documents cannot change places between databases */
  constructor(
    definition: CollectionDefinition<T> & Required<Pick<CollectionDefinition<T>, 'sealed'>>,
    private readonly service: string,
  ) {
    this.definition = definition;
    this.kept = definition.sealed.keepsOpened ? new OpenedTexts() : undefined;
    this.fields = new Set(definition.sealed.fields);
    const clear = ['id', 'createdAt', ENVELOPE, definition.expires?.field, ...definition.indexes.flatMap(pathsOf)];
    const conflict = clear.find((path) => path !== undefined && this.fields.has(path.split(/[.[]/u)[0] ?? ''));
    if (conflict !== undefined) throw new Error(`${conflict} of ${definition.name} cannot be sealed`);
  }

  /** @returns the owner of the key that the document needs; undefined when it has nothing to seal */
  ownerOf(document: T): KeyOwner | undefined {
    const hasSecret = Object.entries(document).some(([field, value]) => this.fields.has(field) && value !== undefined);
    return hasSecret ? this.definition.sealed.owner(document) : undefined;
  }

  /** @returns the owner of the key that the stored document was sealed with */
  ownerIn(stored: Document): KeyOwner | undefined {
    return (stored as StoredForm)[ENVELOPE];
  }

  /** True when the stored document has fields in clear that are to be sealed. */
  hasClear(stored: Document): boolean {
    return Object.keys(stored).some((field) => this.fields.has(field));
  }

  /** @param before of the document that this one replaces: it stays when it seals the same, as in each piece of audio that a live session stores */
  seal(document: Document, { accountId, holder }: KeyOwner, { id: key, key: bytes }: DataKey, before?: OpenedEnvelope): Document {
    const secret = this.secretOf(document);
    const isSame = before?.secret === secret && before.envelope.key === key && before.envelope.accountId === accountId && before.envelope.holder === holder;
    const envelope = isSame ? before.envelope : { accountId, holder, key, data: sealBytes(bytes, secret, this.contextOf(document.id)) };
    const clear = Object.entries(document).filter(([field]) => !this.fields.has(field));
    return { ...Object.fromEntries(clear), [ENVELOPE]: envelope } as StoredForm;
  }

  /** @throws AppError unavailable/keys_unavailable when the key is not the one, or the document was changed */
  open(stored: Document, key: DataKey): { document: Document; before?: OpenedEnvelope } {
    const { [ENVELOPE]: envelope, ...clear } = stored as StoredForm;
    if (!envelope) return { document: stored };
    const secret = this.secretIn(envelope, stored.id, key);
    return { document: { ...clear, ...(JSON.parse(secret) as object) }, before: { envelope, secret } };
  }

  private secretIn({ data }: Envelope, id: string, key: DataKey): string {
    const kept = this.kept?.find(key, id, data);
    if (kept !== undefined) return kept;
    const bytes = openBytes(key.key, data, this.contextOf(id));
    if (!bytes) throw wrongKey(`${id} in ${this.definition.name} cannot be opened by its key: the database of keys is of another installation, or the document was changed.`);
    const secret = bytes.toString('utf8');
    this.kept?.keep(key, { documentId: id, data, secret });
    return secret;
  }

  private secretOf(document: Document): string {
    return JSON.stringify(Object.fromEntries(Object.entries(document).filter(([field]) => this.fields.has(field))));
  }

  private contextOf(id: string): string {
    return JSON.stringify([this.service, this.definition.name, id]);
  }
}

const pathsOf = ({ fields, orderBy, only = {} }: CollectionDefinition<Document>['indexes'][number]): string[] => [...fields, ...(orderBy === undefined ? [] : [orderBy]), ...Object.keys(only)];
