import { Inject, Injectable } from '@nestjs/common';
import { ingest, JOB_STATUS, type JobService, type SummaryService, type TranscriptService } from '@parlance/contracts';
import { toAppError, type AppError, type Clock, type Logger } from '@parlance/platform';
import { CLOCK, JOB_SERVICE, LOGGER, SUMMARY_SERVICE, TRANSCRIPT_SERVICE } from '@parlance/runtime';
import { isDocumentFormat, type FormatName } from '@parlance/transcript';
import { JobReader, type JobRef } from '../transcriptions/job-reader.js';
import { requireClear } from '../transcriptions/sealed-jobs.js';
import { documentHead } from '../transcripts/document-head.js';
import { fileNameOf } from '../transcripts/download-name.js';
import { orNoTranscript } from '../transcripts/no-transcript.js';
import { renderedDocument } from '../transcripts/rendered-document.js';
import { chosenFormat } from '../transcripts/transcript-format.js';
import { MAX_JOBS, type NewExport } from './export-operations.js';
import { ZipArchive } from './zip-archive.js';

interface ManifestError {
  code: string;
  /** Stands with `invalid_state`: `not_ready` while the transcript may still come. */
  reason?: string;
  message: string;
}

interface ManifestFile {
  format: FormatName;
  /** Absent when the file is missing. */
  name?: string;
  error?: ManifestError;
}

interface ManifestJob {
  job_id: string;
  files?: ManifestFile[];
  error?: ManifestError;
}

/** The account, and the project of the calling key. */
type ExportScope = Pick<JobRef, 'accountId' | 'projectId'>;

const PAGE = 100;
/** Formats that are ZIP files or compressed themselves. */
const PACKED: ReadonlySet<FormatName> = new Set<FormatName>(['docx', 'pdf']);

const ARCHIVE_FULL: ManifestError = { code: 'payload_too_large', message: 'The archive has its maximum size. Export this job in another one.' };

/** Writes transcripts of many jobs into one ZIP file. One document at a time is rendered, at the pace of its reader; only the manifest grows with the jobs. */
@Injectable()
export class ExportArchive {
  constructor(
    @Inject(JOB_SERVICE) private readonly jobs: Pick<JobService, 'listJobs'>,
    @Inject(TRANSCRIPT_SERVICE) private readonly transcripts: TranscriptService,
    @Inject(SUMMARY_SERVICE) private readonly summaries: SummaryService,
    @Inject(JobReader) private readonly reader: JobReader,
    @Inject(CLOCK) private readonly clock: Clock,
    @Inject(LOGGER) private readonly log: Logger,
  ) {}

  /** The ids of the jobs that the order means, without duplicates, at most {@link MAX_JOBS}. */
  async select({ accountId, projectId }: ExportScope, { job_ids: jobIds, batch_id: batchId, filter }: NewExport): Promise<string[]> {
    if (jobIds) return [...new Set(jobIds)];
    const selected: string[] = [];
    let cursor: string | undefined;
    do {
      const request = { accountId, cursor, limit: PAGE, ascending: true, batchId, projectId, createdAfter: filter?.created_after, createdBefore: filter?.created_before, metadata: filter?.metadata ?? {} };
      const { jobs, nextCursor } = await this.jobs.listJobs(ingest.ListJobsRequest.fromPartial({ ...request, statuses: filter ? [JOB_STATUS.completed] : [] }));
      selected.push(...jobs.map(({ jobId }) => jobId));
      cursor = nextCursor;
    } while (cursor !== undefined && selected.length < MAX_JOBS);
    return selected;
  }

  /** @param signal ends the rendering when the client is gone */
  async *bytes(scope: ExportScope, jobIds: readonly string[], formats: readonly FormatName[], signal: AbortSignal): AsyncGenerator<Uint8Array> {
    const zip = new ZipArchive(this.clock.now());
    const manifest: ManifestJob[] = [];
    for (const jobId of jobIds) {
      signal.throwIfAborted();
      const entry: ManifestJob = { job_id: jobId };
      manifest.push(entry);
      if (zip.isFull) entry.error = ARCHIVE_FULL;
      else yield* this.jobFiles(zip, { ...scope, jobId }, formats, entry, signal);
    }
    yield* zip.part('manifest.json', [Buffer.from(JSON.stringify({ created_at: this.clock.now().toISOString(), jobs: manifest }, undefined, 2))]);
    yield* zip.end();
  }

  private async *jobFiles(zip: ZipArchive, ref: JobRef, formats: readonly FormatName[], entry: ManifestJob, signal: AbortSignal): AsyncGenerator<Uint8Array> {
    const job = await this.reader.get(ref).then(requireClear).catch((error: unknown) => void (entry.error = this.errorOf(error, ref, signal)));
    if (!job) return;
    entry.files = [];
    for (const format of new Set(formats)) {
      const file: ManifestFile = { format };
      entry.files.push(file);
      yield* this.file(zip, job, file, signal);
    }
  }

  /** A document that breaks off stays in the archive as far as it came, and the manifest says so. */
  private async *file(zip: ZipArchive, job: ingest.Job, file: ManifestFile, signal: AbortSignal): AsyncGenerator<Uint8Array> {
    const ref = { accountId: job.accountId, jobId: job.jobId };
    const pieces = await orNoTranscript(job, this.render(job, file.format, signal)).catch((error: unknown) => void (file.error = this.errorOf(error, ref, signal)));
    if (!pieces) return;
    file.name = `${fileNameOf(job)} ${job.jobId}.${file.format}`;
    yield* zip.part(file.name, this.toItsEnd(pieces, ref, file, signal), PACKED.has(file.format));
  }

  private async *toItsEnd(pieces: AsyncIterable<Uint8Array>, ref: JobRef, file: ManifestFile, signal: AbortSignal): AsyncGenerator<Uint8Array> {
    try {
      yield* pieces;
    } catch (error) {
      file.error = this.errorOf(error, ref, signal);
    }
  }

  private async render(job: ingest.Job, format: FormatName, signal: AbortSignal): Promise<AsyncIterable<Uint8Array>> {
    const ref = { accountId: job.accountId, jobId: job.jobId };
    const head = isDocumentFormat(format) ? await documentHead(job, ref, this.summaries, signal, this.log) : { title: undefined, createdAt: undefined, sections: [] };
    const options = { speakers: undefined, timestamps: undefined, maxLineChars: undefined, maxLines: undefined, minDuration: undefined, maxDuration: undefined, maxCps: undefined };
    return (await renderedDocument(this.transcripts.renderTranscript({ ...ref, format: chosenFormat(format).message, ...options, ...head }, { signal }))).pieces;
  }

  /** @throws the reason of the signal, once the client is gone: nothing more is to be written then */
  private errorOf(thrown: unknown, { jobId }: JobRef, signal: AbortSignal): ManifestError {
    signal.throwIfAborted();
    const error = toAppError(thrown);
    if (error.kind === 'internal') this.log.error({ err: thrown, job_id: jobId }, 'a transcript could not be exported');
    return manifestError(error);
  }
}

const manifestError = ({ code, reason, message }: AppError): ManifestError => ({ code, ...(reason !== undefined && { reason }), message });
