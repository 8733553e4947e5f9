import { Inject, Injectable } from '@nestjs/common';
import { chaptersJson, entitiesJson, highlightsJson, summaryContentJson, transcription, type SummaryService, type TranscriptService } from '@parlance/contracts';
import { SUMMARY_SERVICE, TRANSCRIPT_SERVICE } from '@parlance/runtime';
import { transcriptJson } from '@parlance/transcript';
import type { Job, StageName } from '../jobs/state/job.js';

const { TRANSCRIPT_FORMAT_TXT, TRANSCRIPT_FORMAT_SRT, TRANSCRIPT_FORMAT_VTT } = transcription.TranscriptFormat;

/** The formats that are in the result beside the transcript: an opened result needs no server. */
const EXPORTS = { txt: TRANSCRIPT_FORMAT_TXT, srt: TRANSCRIPT_FORMAT_SRT, vtt: TRANSCRIPT_FORMAT_VTT } as const;

/** The results of a job, as its owner would read them by the API. */
@Injectable()
export class JobResults {
  constructor(
    @Inject(TRANSCRIPT_SERVICE) private readonly transcripts: Pick<TranscriptService, 'getTranscript' | 'renderTranscript'>,
    @Inject(SUMMARY_SERVICE) private readonly summaries: Pick<SummaryService, 'getSummary' | 'getHighlights' | 'getChapters' | 'getEntities'>,
  ) {}

  /** JSON in UTF-8, about 10 MB for ten hours. Stages that failed or were not requested are missing. @throws AppError of the services */
  async json(job: Job, signal: AbortSignal): Promise<Buffer> {
    const members = [
      `"job_id":${JSON.stringify(job.id)}`,
      `"created_at":${JSON.stringify(job.createdAt)}`,
      `"transcript":${await this.transcript(job, signal)}`,
      ...(await this.addOns(job)),
      `"exports":${JSON.stringify(await this.exports(job, signal))}`,
    ];
    return Buffer.from(`{${members.join(',')}}`);
  }

  private async transcript({ id: jobId, accountId }: Job, signal: AbortSignal): Promise<string> {
    const pages = this.transcripts.getTranscript({ accountId, jobId, includeWords: true }, { signal });
    const { value: first } = await pages.next();
    let json = '';
    for await (const piece of transcriptJson(first ?? { segments: [] }, pages)) json += piece;
    return json;
  }

  private async addOns({ id: jobId, accountId, stages }: Job): Promise<string[]> {
    const ref = { accountId, jobId };
    const isDone = (stage: StageName): boolean => stages[stage].status === 'completed';
    const { summary } = isDone('summary') ? await this.summaries.getSummary(ref) : {};
    const { highlights } = isDone('highlights') ? await this.summaries.getHighlights(ref) : {};
    const { chapters } = isDone('chapters') ? await this.summaries.getChapters(ref) : {};
    const { entities } = isDone('entities') ? await this.summaries.getEntities(ref) : {};
    const made = {
      summary: summary && { format: summary.format, ...summaryContentJson(summary) },
      highlights: highlights && highlightsJson(highlights),
      chapters: chapters && chaptersJson(chapters),
      entities: entities && entitiesJson(entities),
    };
    return Object.entries(made).flatMap(([name, value]) => (value ? [`"${name}":${JSON.stringify(value)}`] : []));
  }

  private async exports({ id: jobId, accountId }: Job, signal: AbortSignal): Promise<Record<string, string>> {
    const texts: [string, string][] = [];
    for (const [name, format] of Object.entries(EXPORTS)) {
      const pieces: Uint8Array[] = [];
      const request = transcription.RenderTranscriptRequest.fromPartial({ accountId, jobId, format });
      for await (const { data } of this.transcripts.renderTranscript(request, { signal })) pieces.push(data);
      texts.push([name, Buffer.concat(pieces).toString('utf8')]);
    }
    return Object.fromEntries(texts);
  }
}
