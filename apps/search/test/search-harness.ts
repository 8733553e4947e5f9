import { common, type EventData, events, type EventType, search, type SearchService } from '@parlance/contracts';
import { eventually } from '@parlance/testing';
import { ServiceHarness } from '@parlance/testing/service-harness';
import { manifest } from '../src/service.js';
import { TranscriptsStandIn } from './transcripts-stand-in.js';

export const ACCOUNT = 'acc_1';

/** The search service as its process runs it, with stand-ins for the services that it reads from. */
export class SearchHarness implements AsyncDisposable {
  private constructor(
    readonly service: ServiceHarness,
    readonly source: TranscriptsStandIn,
  ) {}

  /** @param fill adds the transcripts that are there before the service starts */
  static async start(env: Record<string, string> = {}, fill: (source: TranscriptsStandIn) => void = () => {}): Promise<SearchHarness> {
    const { standIn, env: addresses } = await TranscriptsStandIn.start();
    fill(standIn);
    return new SearchHarness(await ServiceHarness.start(manifest, { ...addresses, ...env }), standIn);
  }

  get client(): SearchService {
    return this.service.process.connect('search', search.SearchServiceDefinition);
  }

  completed(jobId: string, run = 1, options?: Partial<common.JobOptions>) {
    const accountId = this.source.transcripts.get(jobId)?.accountId ?? ACCOUNT;
    return this.service.publish({ type: 'transcript.completed', data: events.TranscriptCompleted.fromPartial({ jobId, accountId, run, version: 1, ...(options && { options: common.JobOptions.fromPartial(options) }) }) });
  }

  /** The transcripts that the stand-in has, told and indexed. */
  async indexed(...jobIds: string[]): Promise<void> {
    for (const jobId of jobIds) await this.completed(jobId);
    for (const jobId of jobIds) await this.awaitEvent('stage.finished', jobId);
  }

  retry(jobId: string, run: number) {
    return this.service.publish({ type: 'stage.requested', data: events.StageRequested.fromPartial({ jobId, accountId: ACCOUNT, run, stage: common.Stage.STAGE_SEARCH }) });
  }

  speakersChanged(jobId: string, change: Partial<events.TranscriptSpeakersChanged>) {
    return this.service.publish({ type: 'transcript.speakers_changed', data: events.TranscriptSpeakersChanged.fromPartial({ jobId, accountId: ACCOUNT, ...change }) });
  }

  tell(type: 'job.canceled' | 'job.deleted', jobId: string) {
    return this.service.publish({ type, data: events.JobEvent.fromPartial({ jobId, accountId: ACCOUNT, run: 1, erasureId: 'era_1' }) });
  }

  heard<K extends EventType>(type: K, jobId: string): EventData<K>[] {
    return this.service.heard.filter((event) => event.type === type).map((event) => event.data as EventData<K> & { jobId: string }).filter((data) => data.jobId === jobId);
  }

  async awaitEvent<K extends EventType>(type: K, jobId: string, count = 1): Promise<EventData<K>> {
    const found = await eventually(`${count} × ${type} of ${jobId}`, () => this.heard(type, jobId).length >= count && this.heard(type, jobId));
    return found.at(-1) as EventData<K>;
  }

  search(text: string, changes: Partial<search.SearchRequest> = {}): Promise<search.SearchResponse> {
    const { client } = this;
    return client.search(search.SearchRequest.fromPartial({ accountId: ACCOUNT, text, limit: 20, ...changes }));
  }

  /** Jobs of the hits, the best first. */
  async jobsFor(text: string, changes: Partial<search.SearchRequest> = {}): Promise<string[]> {
    return (await this.search(text, changes)).hits.map(({ jobId }) => jobId);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.service[Symbol.asyncDispose]();
    await this.source[Symbol.asyncDispose]();
  }
}
