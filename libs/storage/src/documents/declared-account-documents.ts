import type { DeclaredCollections } from './declared-collections.js';
import type { AccountDocuments, Document, DocumentCollection } from './document-collection.js';

/** Finds the documents of accounts by the definitions of the collections. */
export class DeclaredAccountDocuments implements AccountDocuments {
  constructor(private readonly declared: DeclaredCollections) {}

  async count(accountId: string): Promise<Map<string, number>> {
    const counts = new Map<string, number>();
    for (const { name, account, collection } of this.collections()) {
      const count = account === 'id' ? Number((await collection.get(accountId)) !== undefined) : await collection.count({ accountId });
      if (count > 0) counts.set(name, count);
    }
    return counts;
  }

  async remove(accountId: string): Promise<void> {
    for (const { account, collection } of this.collections()) {
      if (account === 'id') await collection.remove(accountId);
      else await collection.removeWhere({ accountId });
    }
  }

  private *collections(): Generator<{ name: string; account: 'id' | 'accountId'; collection: DocumentCollection<Document> }> {
    for (const { definition, collection } of this.declared.all) {
      const { name, account } = definition;
      if (account !== undefined) yield { name, account, collection };
    }
  }
}
