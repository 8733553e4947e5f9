import type { Clock } from '@parlance/platform';
import type { JobErasures } from '@parlance/runtime';
import type { CollectionDefinition, Document, DocumentCollection } from '@parlance/storage';

/** What has been heard of a job's inputs; the id is the job's. */
export interface JobInputsDocument extends Document {
  jobId: string;
  /** The newest run whose transcript is there, and whose search for speakers has ended; 0: none. */
  transcriptRun: number;
  speakersRun: number;
}

export const JOB_INPUTS: CollectionDefinition<JobInputsDocument> = { name: 'job_inputs', indexes: [{ fields: ['jobId'] }] };

export interface JobRun {
  jobId: string;
  accountId: string;
  run: number;
}

/** Two events make a transcript ready, in either order: its words, and who speaks them. Each is written down before it is asked for the other. */
export class JobInputs {
  constructor(
    private readonly documents: DocumentCollection<JobInputsDocument>,
    private readonly erasures: JobErasures,
    private readonly clock: Clock,
  ) {}

  /** @returns all that has been heard of, this included */
  async note(jobId: string, heard: Partial<Pick<JobInputsDocument, 'transcriptRun' | 'speakersRun'>>): Promise<JobInputsDocument> {
    const createdAt = this.clock.now().toISOString();
    const none: JobInputsDocument = { id: jobId, createdAt, jobId, transcriptRun: 0, speakersRun: 0 };
    const { stored } = await this.documents.update(jobId, (current = none) => {
      const transcriptRun = Math.max(current.transcriptRun, heard.transcriptRun ?? 0);
      const speakersRun = Math.max(current.speakersRun, heard.speakersRun ?? 0);
      const isNews = transcriptRun > current.transcriptRun || speakersRun > current.speakersRun;
      return isNews ? { document: { ...current, transcriptRun, speakersRun } } : undefined;
    });
    if (await this.erasures.has(jobId)) await this.documents.removeWhere({ jobId });
    return stored?.document ?? none;
  }
}
