import type { Clock, IdGenerator } from '@parlance/platform';
import type { DocumentDatabase } from '@parlance/storage';
import { AuditChains } from './audit-chains.js';
import type { AuditEntry } from './audit-record.js';

interface OperatorChange {
  accountId: string;
  action: string;
  resources?: readonly string[];
}

/** Records what operators change of accounts and keys, as changes by callers are recorded: before they are made, and afterwards. */
export class OperatorAudit {
  private readonly chains: AuditChains;

  constructor(
    documents: Pick<DocumentDatabase, 'collection' | 'flush'>,
    clock: Clock,
    private readonly ids: IdGenerator,
  ) {
    this.chains = new AuditChains(documents, clock);
  }

  /** @param created ids of what the change created */
  async record<T>({ accountId, action, resources = [] }: OperatorChange, change: () => Promise<T>, created: (result: T) => readonly string[] = () => []): Promise<T> {
    const entry = { accountId, action, actorType: 'operator' as const, requestId: this.ids.next('req') };
    await this.append({ ...entry, event: 'requested', resources: [...resources] });
    const result = await change();
    await this.append({ ...entry, event: 'answered', resources: [...resources, ...created(result)] });
    return result;
  }

  /** Records what is known only once it is made: a new account has no chain before. */
  async recordCreated(accountId: string, action: 'createAccount' | 'createKey', resources: readonly string[]): Promise<void> {
    await this.append({ accountId, action, actorType: 'operator', requestId: this.ids.next('req'), event: 'answered', resources: [...resources] });
  }

  private async append(entry: AuditEntry): Promise<void> {
    await this.chains.append(entry.accountId, [entry]);
    await this.chains.flush();
  }
}
