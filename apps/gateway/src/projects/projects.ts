import { Inject, Injectable } from '@nestjs/common';
import { ingest, type JobService } from '@parlance/contracts';
import { AppError, limitReached, notFound, type Clock, type IdGenerator } from '@parlance/platform';
import { CLOCK, DOCUMENTS, ID_GENERATOR, JOB_SERVICE } from '@parlance/runtime';
import type { DocumentCollection, DocumentDatabase, Page } from '@parlance/storage';
import type { AccountLimit } from '../accounts/account-limit.js';
import { ApiKeys } from '../keys/api-keys.js';
import { projectCollection, type Project } from './project.js';

const MAX_PROJECTS = 1000;
/** Milliseconds after which the mark of a deletion lapses, because its process was killed. A deletion takes a fraction of a second, and removes the project only while its mark is valid. */
const DELETION_MS = 60_000;

/** The projects of accounts. One of another account is not found. */
@Injectable()
export class Projects {
  private readonly collection: DocumentCollection<Project>;

  constructor(
    @Inject(DOCUMENTS) documents: Pick<DocumentDatabase, 'collection'>,
    @Inject(ApiKeys) private readonly keys: Pick<ApiKeys, 'hasOfProject'>,
    @Inject(JOB_SERVICE) private readonly jobs: Pick<JobService, 'listJobs'>,
    @Inject(CLOCK) private readonly clock: Clock,
    @Inject(ID_GENERATOR) private readonly ids: IdGenerator,
  ) {
    this.collection = documents.collection(projectCollection);
  }

  /** @throws AppError invalid_state; requests at the same time may pass the limit by as many as they are */
  async create(accountId: string, name: string): Promise<Project> {
    const { used, limit } = await this.limitOf(accountId);
    if (used >= limit) throw tooMany();
    return (await this.collection.insert({ id: this.ids.next('prj'), createdAt: this.now(), accountId, name })).document;
  }

  async limitOf(accountId: string): Promise<AccountLimit> {
    return { used: await this.collection.count({ accountId }), limit: MAX_PROJECTS };
  }

  /** Newest first. @throws AppError invalid_cursor */
  list(accountId: string, { limit, cursor }: { limit: number; cursor?: string | undefined }): Promise<Page<Project>> {
    return this.collection.find({ where: { accountId }, limit, ...(cursor !== undefined && { cursor }) });
  }

  /** @throws AppError not_found */
  async get(accountId: string, id: string): Promise<Project> {
    return ownedBy(accountId, (await this.collection.get(id))?.document);
  }

  /** True for a project that a key may be bound to. */
  async isOpen(accountId: string, id: string): Promise<boolean> {
    const project = (await this.collection.get(id))?.document;
    return project?.accountId === accountId && !this.isBeingDeleted(project);
  }

  /** @throws AppError not_found */
  async rename(accountId: string, id: string, name: string): Promise<Project> {
    const { stored } = await this.collection.update(id, (project) => ({ document: { ...ownedBy(accountId, project), name } }));
    return ownedBy(accountId, stored?.document);
  }

  /**
   * The project is marked first: a key that is bound to it at the same time either is found here or finds the mark. The mark
   * of a deletion that was cut off lapses.
   * @throws AppError not_found, project_in_use
   */
  async remove(accountId: string, id: string): Promise<void> {
    const { stored } = await this.collection.update(id, (project) => ({ document: { ...ownedBy(accountId, project), deletingSince: this.now() } }));
    const inUse = await this.isInUse(accountId, id);
    if (!inUse && stored && this.isBeingDeleted(stored.document)) {
      await this.collection.remove(id);
      return;
    }
    if (stored) await this.collection.replaceIf(withoutMark(stored.document), stored.version);
    throw inUse ? projectInUse() : tooSlow();
  }

  private isBeingDeleted({ deletingSince }: Project): boolean {
    return deletingSince !== undefined && deletingSince > new Date(this.clock.now().getTime() - DELETION_MS).toISOString();
  }

  private async isInUse(accountId: string, projectId: string): Promise<boolean> {
    if (await this.keys.hasOfProject(accountId, projectId)) return true;
    const { jobs } = await this.jobs.listJobs(ingest.ListJobsRequest.fromPartial({ accountId, projectId, limit: 1 }));
    return jobs.length > 0;
  }

  private now(): string {
    return this.clock.now().toISOString();
  }
}

function ownedBy(accountId: string, project: Project | undefined): Project {
  if (project?.accountId !== accountId) throw notFound('The project');
  return project;
}

const withoutMark = ({ deletingSince: _since, ...project }: Project): Project => project;

const tooMany = () => limitReached(`An account can have at most ${MAX_PROJECTS} projects.`);

const tooSlow = () => new AppError({ kind: 'unavailable', code: 'service_unavailable', message: 'The deletion of the project took too long. Send it again.' });

const projectInUse = () => new AppError({ kind: 'conflict', code: 'project_in_use', message: 'The project has jobs or keys. Delete its jobs and revoke its keys first.' });
