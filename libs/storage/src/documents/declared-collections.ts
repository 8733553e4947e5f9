import type { CollectionDefinition, Document, DocumentCollection } from './document-collection.js';

const NAME = /^[a-z][a-z0-9_]*$/;

interface Declared {
  described: string;
  definition: CollectionDefinition<Document>;
  collection: unknown;
}

/** The collections of one database that were declared, each once. */
export class DeclaredCollections {
  private readonly declared = new Map<string, Declared>();

  /** @throws Error when the name is none, or the collection was declared otherwise before. */
  once<T extends Document>(definition: CollectionDefinition<T>, create: () => DocumentCollection<T>): DocumentCollection<T> {
    const { name, example: _example, sealed: _sealed, data: _data, account: _account, ...rest } = definition;
    const described = JSON.stringify(rest);
    const known = this.declared.get(name);
    if (known && known.described !== described) throw new Error(`the collection ${name} is defined in two ways`);
    if (known) return known.collection as DocumentCollection<T>;
    if (!NAME.test(name)) throw new Error(`${name} is not the name of a collection`);
    const collection = create();
    this.declared.set(name, { described, definition: definition as CollectionDefinition<Document>, collection });
    return collection;
  }

  /** Each with its collection. */
  get all(): { definition: CollectionDefinition<Document>; collection: DocumentCollection<Document> }[] {
    return [...this.declared.values()].map(({ definition, collection }) => ({ definition, collection: collection as DocumentCollection<Document> }));
  }

  get definitions(): CollectionDefinition<Document>[] {
    return [...this.declared.values()].map(({ definition }) => definition);
  }
}
