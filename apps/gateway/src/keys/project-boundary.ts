import { Inject, Injectable } from '@nestjs/common';
import type { JobService, SearchService } from '@parlance/contracts';
import { AppError, notFound, toAppError } from '@parlance/platform';
import { DOCUMENTS, JOB_SERVICE, SEARCH_SERVICE } from '@parlance/runtime';
import type { Document, DocumentCollection, DocumentDatabase } from '@parlance/storage';
import type { FastifyRequest } from 'fastify';
import { batchCollection } from '../batches/batch.js';
import { uploadCollection } from '../uploads/stored/upload.js';
import type { Caller } from './authenticator.js';

/** Ids in the path of a request. */
interface ResourceIds {
  job_id?: string;
  upload_id?: string;
  batch_id?: string;
  conversation_id?: string;
}

interface Owned {
  accountId: string;
  projectId?: string | undefined;
}

/**
 * Keeps a caller whose key is bound to a project within it: resources of others are not found, and operations on the whole
 * account are refused. An operation without a resource in its path is open when its definition says `isWithinProject`.
 */
@Injectable()
export class ProjectBoundary {
  private readonly uploads: DocumentCollection<Owned & Document>;
  private readonly batches: DocumentCollection<Owned & Document>;

  constructor(
    @Inject(JOB_SERVICE) private readonly jobs: Pick<JobService, 'getJob'>,
    @Inject(SEARCH_SERVICE) private readonly search: Pick<SearchService, 'getConversation'>,
    @Inject(DOCUMENTS) documents: Pick<DocumentDatabase, 'collection'>,
  ) {
    this.uploads = documents.collection(uploadCollection);
    this.batches = documents.collection(batchCollection);
  }

  /** @throws AppError not_found, insufficient_scope */
  async require(caller: Caller, { params, routeOptions: { config } }: FastifyRequest): Promise<void> {
    const { job_id: jobId, upload_id: uploadId, batch_id: batchId, conversation_id: conversationId } = params as ResourceIds;
    if (jobId !== undefined) return requireOwn(caller, await this.jobOf(caller, jobId), 'The transcription');
    if (uploadId !== undefined) return requireOwn(caller, (await this.uploads.get(uploadId))?.document, 'The upload');
    if (batchId !== undefined) return requireOwn(caller, (await this.batches.get(batchId))?.document, 'The batch');
    if (conversationId !== undefined) return this.requireConversation(caller, conversationId);
    if (!config.operation?.isWithinProject && config.compatAccess === undefined) throw refused();
  }

  /** Undefined for a job that there is not, so that its refusal is that of a job of another project. */
  private async jobOf({ accountId }: Caller, jobId: string): Promise<Owned | undefined> {
    try {
      return (await this.jobs.getJob({ accountId, jobId })).job;
    } catch (error) {
      if (toAppError(error).kind === 'not_found') return undefined;
      throw error;
    }
  }

  private async requireConversation({ accountId, projectId }: Caller, conversationId: string): Promise<void> {
    await this.search.getConversation({ accountId, conversationId, jobId: undefined, projectId });
  }
}

/** The project to list from: that which the caller names, but never another one than that of its key. @throws AppError not_found */
export function listedProject({ projectId }: Pick<Caller, 'projectId'>, asked: string | undefined): string | undefined {
  if (projectId !== undefined && asked !== undefined && asked !== projectId) throw notFound('The project');
  return projectId ?? asked;
}

/** @throws AppError not_found for a resource of another account or project */
function requireOwn(caller: Caller, resource: Owned | undefined, what: string): void {
  requireInProject(caller, resource?.accountId === caller.accountId ? resource : undefined, what);
}

/** Keeps a caller whose key is bound to a project within it. @param resource one of the caller's account, or undefined when there is none. @throws AppError not_found */
export function requireInProject<T extends { projectId?: string | undefined }>({ projectId }: { projectId?: string | undefined }, resource: T | undefined, what: string): T {
  if (!resource || (projectId !== undefined && resource.projectId !== projectId)) throw notFound(what);
  return resource;
}

const refused = () => new AppError({ kind: 'forbidden', code: 'insufficient_scope', message: 'This operation concerns the whole account, and the key is bound to a project.' });
