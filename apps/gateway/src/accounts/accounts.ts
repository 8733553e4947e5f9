import { Inject, Injectable } from '@nestjs/common';
import { AppError, notFound, type Clock, type IdGenerator } from '@parlance/platform';
import { CLOCK, DOCUMENTS, ID_GENERATOR } from '@parlance/runtime';
import { type Document, type DocumentCollection, type DocumentDatabase, ownerOfAccountDocument, type Page } from '@parlance/storage';
import { SCOPES } from '../keys/scope.js';
import { ApiKeys, type IssuedKey } from '../keys/api-keys.js';
import { Plans, type Plan, type Retention } from '../plans/index.js';
import type { AccountDeletion } from './account-deletion.js';
import type { Account } from './account.js';

interface NewAccount {
  email?: string | undefined;
  emailVerified?: boolean | undefined;
  organization?: string | undefined;
  /** Default: that of accounts that sign up. */
  plan?: string | undefined;
}

/** The account that a deployment's own key belongs to when there is no other; one id, so that two starts at once make one. */
const FIRST_ACCOUNT_ID = 'acc_00000000000000000000000000';

const FIRST_ACCOUNT = { organization: 'first account' };

/** An account that signed up has an address. */
const isOfInstallation = (oldest: Account | undefined): oldest is Account => oldest !== undefined && oldest.email === undefined;

@Injectable()
export class Accounts {
  private readonly collection: DocumentCollection<Account>;
  private readonly erased: DocumentCollection<Document>;

  constructor(
    @Inject(DOCUMENTS) documents: DocumentDatabase,
    @Inject(ApiKeys) private readonly keys: ApiKeys,
    @Inject(Plans) private readonly plans: Plans,
    @Inject(CLOCK) private readonly clock: Clock,
    @Inject(ID_GENERATOR) private readonly ids: IdGenerator,
  ) {
    this.collection = documents.collection<Account>({
      name: 'accounts',
      data: { what: 'e-mail address, organization, plan, limits', purpose: 'access, contract', kept: 'with the account; ACCOUNT_DELETION_DAYS after its deletion was requested' },
      indexes: [{ fields: [] }, { fields: ['plan'] }, { fields: [], orderBy: 'deletionDueAt' }],
      sealed: { fields: ['email', 'organization', 'disabledReason'], owner: ownerOfAccountDocument },
    });
    this.erased = documents.collection({ name: 'erased_accounts', data: { what: 'ids of erased accounts', purpose: 'to use no id of an account twice', kept: 'no end' }, indexes: [] });
  }

  async get(id: string): Promise<Account | undefined> {
    return (await this.collection.get(id))?.document;
  }

  /** @throws AppError not_found */
  async require(id: string): Promise<Account> {
    const account = await this.get(id);
    if (!account) throw notFound(`The account ${id}`);
    return account;
  }

  /** Newest first. */
  list(page: { limit: number; cursor?: string | undefined }): Promise<Page<Account>> {
    const { limit, cursor } = page;
    return this.collection.find({ limit, ...(cursor !== undefined && { cursor }) });
  }

  /** With a first key that may do everything. @throws AppError invalid/unknown_plan */
  async create(details: NewAccount): Promise<{ account: Account; key: IssuedKey }> {
    const account = await this.ensure(this.ids.next('acc'), details);
    return { account, key: await this.issueFirstKey(account.id) };
  }

  /**
   * Returns the account of that id and creates it when there is none, so that an interrupted caller may call again. @throws
   * AppError invalid/unknown_plan
   */
  async ensure(id: string, details: NewAccount): Promise<Account> {
    const account = this.newAccount(id, details, this.planOf(details));
    const stored = await this.collection.insertIfAbsent(account);
    return stored ? stored.document : this.require(id);
  }

  issueFirstKey(accountId: string): Promise<IssuedKey> {
    return this.keys.issue({ accountId, name: 'first key', scopes: SCOPES });
  }

  /**
   * A deletion that was requested before stays as it is. An operator's request replaces the due date and makes the deletion
   * operator-only; the erasure id and the request time stay. @throws AppError not_found
   */
  scheduleDeletion(id: string, deletion: AccountDeletion): Promise<Account> {
    return this.change(id, (account) => {
      const { deletion: before } = account;
      if (before && (!deletion.byOperator || before.erasingSince !== undefined)) return account;
      const rescheduled = before && { erasureId: before.erasureId, requestedAt: before.requestedAt, isTaskOutdated: true as const };
      return { ...account, deletion: { ...deletion, ...rescheduled }, deletionDueAt: deletion.dueAt };
    });
  }

  /** The task of the erasure was woken for this due date. @throws AppError not_found */
  taskUpdated(id: string, { erasureId, dueAt }: AccountDeletion): Promise<Account> {
    return this.change(id, (account) => {
      if (account.deletion?.erasureId !== erasureId || account.deletion.dueAt !== dueAt) return account;
      const { isTaskOutdated: _outdated, ...deletion } = account.deletion;
      return { ...account, deletion };
    });
  }

  /** @param by an operator withdraws every deletion, the holder not an operator's. @throws AppError not_found, invalid_state for an operator's, and once the erasure has begun */
  withdrawDeletion(id: string, by: 'holder' | 'operator'): Promise<Account> {
    return this.change(id, ({ deletion, deletionDueAt: _due, ...account }) => {
      if (deletion?.byOperator && by !== 'operator') throw new AppError({ code: 'invalid_state', message: 'The operator of this service requested the deletion. Only the operator withdraws it.' });
      if (deletion?.erasingSince !== undefined) throw new AppError({ code: 'invalid_state', message: 'The erasure of the account has begun.' });
      return account;
    });
  }

  /** From within five seconds on, none of its keys is let in. Again, or of a deletion that is not due, this changes nothing. @throws AppError not_found */
  beginErasure(id: string): Promise<Account> {
    const now = this.clock.now().toISOString();
    return this.change(id, (account) => (account.deletion && account.deletion.erasingSince === undefined && account.deletion.dueAt <= now ? { ...account, deletion: { ...account.deletion, erasingSince: now } } : account));
  }

  /** A legal hold prevents the erasure, before anything was erased. @throws AppError not_found */
  suspendErasure(id: string): Promise<Account> {
    return this.change(id, (account) => {
      if (!account.deletion) return account;
      const { erasingSince: _since, ...deletion } = account.deletion;
      return { ...account, deletion };
    });
  }

  /** Accounts whose deletion was requested, the first that is due first. */
  async *withDeletion(): AsyncGenerator<Account> {
    for await (const { document } of this.collection.all({ orderBy: 'deletionDueAt', direction: 'ascending' })) yield document;
  }

  /** Its key is destroyed, so that its id is of no use any more. */
  async remove(id: string): Promise<void> {
    await this.erased.insertIfAbsent({ id, createdAt: this.clock.now().toISOString() });
    await this.collection.remove(id);
  }

  /** From within five seconds on, none of its keys is let in by any process. Its jobs run on. @throws AppError not_found */
  disable(id: string, reason?: string): Promise<Account> {
    const disabledAt = this.clock.now().toISOString();
    return this.change(id, (account) => (account.disabledAt === undefined ? { ...account, disabledAt, ...(reason !== undefined && { disabledReason: reason }) } : account));
  }

  /** @throws AppError not_found */
  enable(id: string): Promise<Account> {
    return this.change(id, ({ disabledAt: _since, disabledReason: _why, ...account }) => account);
  }

  /** @throws AppError not_found, invalid/unknown_plan */
  async setPlan(id: string, plan: string): Promise<Account> {
    const { name } = this.planOf({ plan });
    return this.change(id, (account) => ({ ...account, plan: name }));
  }

  /** Takes the place of what was set before; an empty one leaves all to its plan. @throws AppError not_found */
  setRetention(id: string, retention: Retention): Promise<Account> {
    return this.change(id, (account) => ({ ...account, retention }));
  }

  /**
   * Accepts the key that the operator chose for the first account; creates that account when there is none, or when a sign-up
   * came first.
   */
  async bootstrap(apiKey: string): Promise<void> {
    if (await this.keys.hasAdopted(apiKey)) return;
    const oldest = await this.oldest();
    const account = isOfInstallation(oldest) ? oldest : await this.ensure(await this.firstId(), { ...FIRST_ACCOUNT, plan: this.plans.ofFirstAccount.name });
    await this.keys.adopt({ accountId: account.id, name: 'bootstrap key', scopes: SCOPES }, apiKey);
  }

  /** A further key of the account that the installation came with; makes that account when there is none, or only such as signed up. */
  async firstKey(): Promise<{ account: Account; key: IssuedKey; existed: boolean }> {
    const oldest = await this.oldest();
    if (!isOfInstallation(oldest)) return { ...(await this.create({ ...FIRST_ACCOUNT, plan: this.plans.ofFirstAccount.name })), existed: false };
    const key = await this.keys.issue({ accountId: oldest.id, name: 'created at a start without a key file', scopes: SCOPES });
    return { account: oldest, key, existed: true };
  }

  private async firstId(): Promise<string> {
    return (await this.erased.get(FIRST_ACCOUNT_ID)) ? this.ids.next('acc') : FIRST_ACCOUNT_ID;
  }

  private async change(id: string, change: (account: Account) => Account): Promise<Account> {
    const { stored } = await this.collection.update(id, (current) => (current ? { document: change(current) } : undefined));
    if (!stored) throw notFound(`The account ${id}`);
    return stored.document;
  }

  private async oldest(): Promise<Account | undefined> {
    const { items } = await this.collection.find({ direction: 'ascending', limit: 1 });
    return items[0]?.document;
  }

  private planOf({ plan: name }: NewAccount): Plan {
    const plan = name === undefined ? this.plans.ofSignUps : this.plans.named(name);
    if (plan) return plan;
    throw new AppError({ kind: 'invalid', code: 'unknown_plan', message: `The plan ${name} does not exist.` });
  }

  private newAccount(id: string, { email, emailVerified, organization }: NewAccount, { name: plan }: Plan): Account {
    return {
      id,
      createdAt: this.clock.now().toISOString(),
      plan,
      ...(email !== undefined && { email }),
      ...(emailVerified && { emailVerified }),
      ...(organization !== undefined && { organization }),
    };
  }
}

/** The error for callers of a disabled account. */
export const accountDisabled = (): AppError =>
  new AppError({ kind: 'forbidden', code: 'account_disabled', message: 'The account is disabled. Ask the operator of this service.' });
