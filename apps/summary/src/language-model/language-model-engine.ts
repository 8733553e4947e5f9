import type { LanguageModel } from '@parlance/engines';
import { keepSuccess } from '@parlance/platform';
import { dueDateReader, withoutOverlaps } from '@parlance/text-analysis';
import { chapterPartition } from '../engine/chapter-partition.js';
import type { ChaptersResult, FoundEntities, FoundEntity, HighlightsResult, SummaryEngine, SummaryEngineInfo, SummaryRequest, SummaryResult, TranscriptText } from '../engine/summary-engine.js';
import type { Translator } from '../translations/translator.js';
import { EvidenceCheck } from './evidence-check.js';
import { ModelCalls } from './model-calls.js';
import { modelChapters } from './model-chapters.js';
import { modelEntities } from './model-entities.js';
import { modelHighlights } from './model-highlights.js';
import { modelSummary } from './model-summary.js';
import { ModelTranslator } from './model-translator.js';
import { Prompts } from './prompts.js';

const BUILT_IN = { code: 'chapters_built_in', message: 'The language model returned no usable chapters; the built-in engine made them.' };

/** Summaries, highlights, chapters and entities by a language model. Every item is looked up in the transcript. */
export class LanguageModelEngine implements SummaryEngine {
  readonly info: SummaryEngineInfo;
  readonly translator: Translator;
  readonly #prompts = keepSuccess(() => Prompts.load());

  /** @param builtIn finds entities by rules, and divides a transcript for which the model returns no usable chapters */
  constructor(
    private readonly model: LanguageModel,
    private readonly builtIn: Pick<SummaryEngine, 'divide' | 'findEntities' | 'close'>,
  ) {
    this.translator = new ModelTranslator(model);
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

  /** People and organisations by the model, everything else by rules. Where both find the same words, the model names people and organisations only. */
  async findEntities(transcript: TranscriptText, signal: AbortSignal): Promise<FoundEntities> {
    const { entities: byRules } = await this.builtIn.findEntities(transcript, signal);
    const shared = await this.begin(transcript, transcript.language, signal);
    const byModel = await modelEntities({ ...shared, transcript });
    return { ...this.provenance(shared, transcript.language), method: 'model', entities: mergedEntities(transcript, byRules, byModel) };
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

const isName = ({ type }: FoundEntity): boolean => type === 'person' || type === 'organization';

/** The entities of each segment without overlaps: exact forms first, then the names of the model, then those of rules. */
function mergedEntities({ lines }: TranscriptText, byRules: readonly FoundEntity[], byModel: readonly FoundEntity[]): FoundEntity[] {
  const ranked = [...byRules.filter((entity) => !isName(entity)), ...byModel, ...byRules.filter(isName)];
  const bySegment = Map.groupBy(ranked, ({ segmentId }) => segmentId);
  return lines.flatMap(({ segmentId }) => withoutOverlaps(bySegment.get(segmentId) ?? []));
}
