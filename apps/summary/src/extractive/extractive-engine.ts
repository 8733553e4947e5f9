import type { TextEmbedder } from '@parlance/engines';
import { StaticEmbedder } from '@parlance/engines/static-embedder';
import { primaryLanguage } from '@parlance/languages';
import { FirstNames, pickDiverse, possibleOwner, QuoteFinder, type RankedLine } from '@parlance/text-analysis';
import { chapterPartition } from '../engine/chapter-partition.js';
import type {
  ChaptersResult, EngineNotice, FoundEntities, HighlightsResult, Moment, SpokenQuote, SummaryEngine, SummaryEngineInfo, SummaryRequest, SummaryResult, TranscriptText,
} from '../engine/summary-engine.js';
import { analyze, inPhrases, isEnglish, type Analysis } from './analysis.js';
import { EXTRACTIVE, EXTRACTIVE_INFO } from './extractive-info.js';
import { entitiesByRules } from './entities-by-rules.js';
import { extractedChapters } from './extracted-chapters.js';
import { extractedTopics } from './extracted-topics.js';
import { titleOf } from './sentence.js';
import { sentimentOf } from './sentiment.js';
import { actionItems, insights, keyDecisions } from './spoken-items.js';
import { summaryText } from './summary-text.js';

const QUOTE_WORDS = { min: 6, max: 45 };

/** The built-in engine: offline, without a model, in the speakers' own sentences. Complete for English; for other languages only what needs no knowledge of the language. */
export class ExtractiveEngine implements SummaryEngine {
  readonly info: SummaryEngineInfo = EXTRACTIVE_INFO;

  private readonly firstNames = new FirstNames();

  /** @param embedder finds lines of the same meaning, so that none is repeated */
  constructor(private readonly embedder: TextEmbedder = new StaticEmbedder()) {}

  async summarize(spoken: TranscriptText, request: SummaryRequest, signal: AbortSignal): Promise<SummaryResult> {
    const transcript = inPhrases(spoken);
    // Done first: looking up names takes as much memory as the analysis, and frees it before the analysis begins.
    const isName = await namesIn(transcript, this.firstNames, signal);
    const analysis = await analyze(transcript, signal, { emphasis: request.instructions, embedder: this.embedder });
    const items = { actionItems: await actionItems(analysis, isName), keyDecisions: await keyDecisions(analysis), insights: await insights(analysis) };
    const warnings = [...languageWarnings(transcript, SUMMARY_LEFT_OUT), ...requestWarnings(transcript, request)];
    return { ...provenance(transcript, warnings), text: await summaryText(analysis, request, items), ...items };
  }

  async highlight(transcript: TranscriptText, signal: AbortSignal): Promise<HighlightsResult> {
    const analysis = await analyze(inPhrases(transcript), signal, { embedder: this.embedder });
    const sentiment = await sentimentOf(analysis);
    return {
      ...provenance(transcript, languageWarnings(transcript, HIGHLIGHTS_LEFT_OUT)),
      keyMoments: keyMoments(analysis),
      quotes: quotes(analysis),
      insights: await insights(analysis),
      topics: await extractedTopics(analysis),
      ...(sentiment && { sentiment }),
    };
  }

  async divide(transcript: TranscriptText, signal: AbortSignal): Promise<ChaptersResult> {
    const analysis = await analyze(inPhrases(transcript), signal, { embedder: this.embedder });
    const drafts = await extractedChapters(analysis, transcript.lines);
    return { ...provenance(transcript, []), chapters: chapterPartition(transcript.lines, drafts) };
  }

  async findEntities(transcript: TranscriptText, signal: AbortSignal): Promise<FoundEntities> {
    return { ...provenance(transcript, []), method: 'rules', entities: await entitiesByRules(transcript, signal) };
  }

  close(): Promise<void> {
    return this.embedder.close();
  }
}

const provenance = ({ language }: TranscriptText, warnings: EngineNotice[]) => ({ engine: EXTRACTIVE, language, droppedItems: 0, warnings });

const SUMMARY_LEFT_OUT = 'no action items, decisions and insights';
const HIGHLIGHTS_LEFT_OUT = 'no insights and no sentiment';

function languageWarnings({ language }: TranscriptText, leftOut: string): EngineNotice[] {
  if (isEnglish(language)) return [];
  return [{ code: 'engine_language_limited', message: `The built-in engine supports English. For a transcript in '${language}' it returns the most central sentences, and ${leftOut}.` }];
}

function requestWarnings(transcript: TranscriptText, { language, instructions }: SummaryRequest): EngineNotice[] {
  const warnings: EngineNotice[] = [];
  if (language !== undefined && primaryLanguage(language) !== primaryLanguage(transcript.language)) {
    warnings.push({ code: 'summary_language_unsupported', message: `The built-in engine does not translate: the summary is in '${transcript.language}'.` });
  }
  if (instructions !== undefined) warnings.push({ code: 'instructions_limited', message: 'The built-in engine does not follow instructions; it gives more weight to sentences that contain words of them.' });
  return warnings;
}

const momentOf = ({ line }: RankedLine): Moment => ({ title: titleOf(line.text), start: line.start, end: line.end, evidence: [QuoteFinder.whole(line)] });

/** Picks moments from all parts of the talk. */
function keyMoments({ ranked, lines, likeness }: Analysis): Moment[] {
  return pickDiverse(ranked, Math.min(12, 3 + Math.ceil(lines.length / 60)), likeness).map(momentOf);
}

/** Sentences that matter and can stand alone: whole ones, neither short nor long. */
function quotes({ ranked, lines, likeness }: Analysis): SpokenQuote[] {
  const alone = ranked.filter(({ line }) => {
    const words = line.text.trim().split(/\s+/u).length;
    return (words >= QUOTE_WORDS.min && words <= QUOTE_WORDS.max) || !line.text.trim().includes(' ');
  });
  return pickDiverse(alone, Math.min(10, 2 + Math.ceil(lines.length / 80)), likeness).map(({ line }) => ({
    text: QuoteFinder.whole(line).quote,
    ...(line.speakerId !== undefined && { speakerId: line.speakerId }),
    start: line.start,
    end: line.end,
    evidence: [QuoteFinder.whole(line)],
  }));
}

/** @returns a test for names: those of speakers, or first names in English. Only words that may be owners are looked up, as the look-up takes a thread. */
async function namesIn({ language, speakers, lines }: TranscriptText, known: FirstNames, signal: AbortSignal): Promise<(word: string) => boolean> {
  const speaking = new Set(speakers.flatMap(({ name }) => name.toLowerCase().split(/\s+/u)).filter((word) => word !== 'speaker' && !/^\d+$/.test(word)));
  const asked = !isEnglish(language) ? [] : lines.flatMap(({ text }) => possibleOwner(text) ?? []).filter((word) => !speaking.has(word));
  const firstNames = await known.among(new Set(asked), signal);
  return (word) => speaking.has(word) || firstNames.has(word);
}
