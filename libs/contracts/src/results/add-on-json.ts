// The results of add-ons as the public API shows them, and as sealed results have them.
import type { ActionItem, Chapters, Entities, Entity, Evidence, Finding, Highlights, Mood, Sentiment, Summary, TokenUsage } from '../generated/parlance/summary/v1/summary_service.js';

const evidenceJson = ({ segmentId, start, end, quote }: Evidence) => ({ segment_id: segmentId, start, end, quote });
const findingJson = ({ text, evidence }: Finding) => ({ text, evidence: evidence.map(evidenceJson) });
/** The tokens that a language model took. */
export const usageJson = (usage: TokenUsage | undefined) => usage && { input_tokens: usage.inputTokens, output_tokens: usage.outputTokens };
const warningsJson = (warnings: readonly { code: string; message: string }[]) => warnings.map(({ code, message }) => ({ code, message }));

type Made = Pick<Summary, 'engine' | 'droppedItems' | 'warnings' | 'usage' | 'revision' | 'stale'>;

/** The members of each add-on that say which engine made it, how, and of which revision. */
const originJson = ({ engine, droppedItems, warnings, usage, revision, stale }: Made) => ({ engine, dropped_items: droppedItems, warnings: warningsJson(warnings), usage: usageJson(usage), revision, stale });

/** The contents of a written summary. */
export const summaryContentJson = (message: Summary) => ({
  language: message.language,
  text: message.text,
  action_items: message.actionItems.map(actionItemJson),
  key_decisions: message.keyDecisions.map(findingJson),
  insights: message.insights.map(findingJson),
  ...originJson(message),
});

const actionItemJson = ({ text, owner, due, dueText, evidence }: ActionItem) =>
  present({ text, owner, due, due_text: dueText, evidence: evidence.map(evidenceJson) });

/** The highlights of a transcript. */
export function highlightsJson(message: Highlights) {
  return present({
    job_id: message.jobId,
    key_moments: message.keyMoments.map(({ title, start, end, evidence }) => ({ title, start, end, evidence: evidence.map(evidenceJson) })),
    quotes: message.quotes.map(({ text, speakerId, speaker, start, end, evidence }) =>
      present({ text, speaker_id: speakerId, speaker, start, end, evidence: evidence.map(evidenceJson) }),
    ),
    insights: message.insights.map(findingJson),
    topics: message.topics.map(({ name, keyphrases, ranges, evidence }) => ({
      name,
      keyphrases,
      ranges: ranges.map(({ start, end }) => ({ start, end })),
      evidence: evidence.map(evidenceJson),
    })),
    sentiment: message.sentiment && sentimentJson(message.sentiment),
    language: message.language,
    ...originJson(message),
  });
}

/** The chapters of a recording. */
export const chaptersJson = (message: Chapters) =>
  present({
    job_id: message.jobId,
    chapters: message.chapters.map(({ start, end, headline, gist, evidence }) => ({ start, end, headline, gist, evidence: evidence.map(evidenceJson) })),
    language: message.language,
    ...originJson(message),
  });

/** The entities of a transcript. */
export const entitiesJson = (message: Entities) =>
  present({
    job_id: message.jobId,
    entities: message.entities.map(entityJson),
    method: message.method,
    language: message.language,
    ...originJson(message),
  });

const entityJson = ({ type, text, normalized, start, end, segmentId, wordIds, speakerId, method }: Entity) =>
  present({
    type: type,
    text,
    normalized,
    start,
    end,
    segment_id: segmentId,
    word_ids: wordIds,
    speaker_id: speakerId,
    method: method,
  });

const moodJson = (mood: Mood | undefined) => ({
  score: mood?.score ?? 0,
  label: (mood?.label ?? 'neutral'),
  evidence: (mood?.evidence ?? []).map(evidenceJson),
});

const sentimentJson = ({ overall, bySpeaker, timeline }: Sentiment) => ({
  overall: moodJson(overall),
  by_speaker: bySpeaker.map(({ speakerId, speaker, mood }) => ({ speaker_id: speakerId, speaker, ...moodJson(mood) })),
  timeline: timeline.map(({ start, end, mood }) => ({ start, end, ...moodJson(mood) })),
});

/** Without the members that are undefined. */
const present = <T extends object>(object: T): T => Object.fromEntries(Object.entries(object).filter(([, value]) => value !== undefined)) as T;
