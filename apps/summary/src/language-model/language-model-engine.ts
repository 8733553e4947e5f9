import type { LanguageModel } from '@parlance/engines';
import { keepSuccess } from '@parlance/platform';
import { dueDateReader } from '@parlance/text-analysis';
import { chapterPartition } from '../engine/chapter-partition.js';
import type { ChaptersResult, HighlightsResult, SummaryEngine, SummaryEngineInfo, SummaryRequest, SummaryResult, TranscriptText } from '../engine/summary-engine.js';
import { EvidenceCheck } from './evidence-check.js';
import { ModelCalls } from './model-calls.js';
import { modelChapters } from './model-chapters.js';
import { modelHighlights } from './model-highlights.js';
import { modelSummary } from './model-summary.js';
import { Prompts } from './prompts.js';

const BUILT_IN = { code: 'chapters_built_in', message: 'The language model returned no usable chapters; the built-in engine made them.' };

/** Summaries, highlights and chapters by a language model. Every item is looked up in the transcript. */
export class LanguageModelEngine implements SummaryEngine {
  readonly info: SummaryEngineInfo;
  readonly #prompts = keepSuccess(() => Prompts.load());

  /** @param builtIn divides a transcript for which the model returns no usable chapters */
  constructor(
    private readonly model: LanguageModel,
    private readonly builtIn: Pick<SummaryEngine, 'divide' | 'close'>,
  ) {
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

  /** By the built-in engine, as `engine` and a warning say, when the chapters of the model are no division of the transcript. */
  async divide(transcript: TranscriptText, signal: AbortSignal): Promise<ChaptersResult> {
    const shared = await this.begin(transcript, transcript.language, signal);
    const drafts = await modelChapters({ ...shared, transcript });
    const { droppedItems, usage, ...made } = this.provenance(shared, transcript.language);
    if (drafts) return { ...made, droppedItems, ...(usage && { usage }), chapters: chapterPartition(transcript.lines, drafts) };
    const instead = await this.builtIn.divide(transcript, signal);
    return { ...instead, droppedItems, ...(usage && { usage }), warnings: [...instead.warnings, BUILT_IN] };
  }

  async close(): Promise<void> {
    await Promise.all([this.model.close(), this.builtIn.close()]);
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
