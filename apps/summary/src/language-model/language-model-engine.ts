import type { LanguageModel } from '@parlance/engines';
import { keepSuccess } from '@parlance/platform';
import { dueDateReader } from '@parlance/text-analysis';
import type { HighlightsResult, SummaryEngine, SummaryEngineInfo, SummaryRequest, SummaryResult, TranscriptText } from '../engine/summary-engine.js';
import { EvidenceCheck } from './evidence-check.js';
import { ModelCalls } from './model-calls.js';
import { modelHighlights } from './model-highlights.js';
import { modelSummary } from './model-summary.js';
import { Prompts } from './prompts.js';

/** Summaries and highlights by a language model. Every item is looked up in the transcript. */
export class LanguageModelEngine implements SummaryEngine {
  readonly info: SummaryEngineInfo;
  readonly #prompts = keepSuccess(() => Prompts.load());

  constructor(private readonly model: LanguageModel) {
    const { name, languages } = model.info;
    this.info = { name, languages };
  }

  async summarize(transcript: TranscriptText, request: SummaryRequest, signal: AbortSignal): Promise<SummaryResult> {
    const language = request.language ?? transcript.language;
    const shared = await this.begin(transcript, language, signal);
    const written = await modelSummary({ ...shared, transcript, request });
    return { ...written, ...this.provenance(shared, language) };
  }

  async highlight(transcript: TranscriptText, signal: AbortSignal): Promise<HighlightsResult> {
    const shared = await this.begin(transcript, transcript.language, signal);
    const found = await modelHighlights({ ...shared, transcript });
    return { ...found, ...this.provenance(shared, transcript.language) };
  }

  close(): Promise<void> {
    return this.model.close();
  }

  private async begin(transcript: TranscriptText, language: string, signal: AbortSignal) {
    const prompts = await this.#prompts();
    const check = new EvidenceCheck(transcript, await dueDateReader(transcript.language));
    return { prompts, check, calls: new ModelCalls(this.model, prompts, language, signal), countTokens: (text: string) => this.model.countTokens(text) };
  }

  private provenance({ check, calls }: { check: EvidenceCheck; calls: ModelCalls }, language: string) {
    return { engine: this.info.name, language, droppedItems: check.dropped, warnings: [], ...(calls.usage && { usage: calls.usage }) };
  }
}
