import { summary } from '@parlance/contracts';
import { present } from '../http/schema.js';
import { failureJson, timeText } from '../transcriptions/job-json.js';
import type { ChaptersJson, EntitiesJson, HighlightsJson, SummaryJson } from './summary-schema.js';

const { WorkStatus } = summary;

const STATUS: Partial<Record<summary.WorkStatus, SummaryJson['status']>> = {
  [WorkStatus.WORK_STATUS_PENDING]: 'pending',
  [WorkStatus.WORK_STATUS_RUNNING]: 'running',
  [WorkStatus.WORK_STATUS_COMPLETED]: 'completed',
  [WorkStatus.WORK_STATUS_FAILED]: 'failed',
  [WorkStatus.WORK_STATUS_SKIPPED]: 'skipped',
};

export const statusOfWork = (status: summary.WorkStatus): SummaryJson['status'] => STATUS[status] ?? 'pending';

const evidenceJson = ({ segmentId, start, end, quote }: summary.Evidence) => ({ segment_id: segmentId, start, end, quote });
const findingJson = ({ text, evidence }: summary.Finding) => ({ text, evidence: evidence.map(evidenceJson) });
export const usageJson = (usage: summary.TokenUsage | undefined) => usage && { input_tokens: usage.inputTokens, output_tokens: usage.outputTokens };
const warningsJson = (warnings: readonly { code: string; message: string }[]) => warnings.map(({ code, message }) => ({ code, message }));

type Made = Pick<summary.Summary, 'engine' | 'droppedItems' | 'warnings' | 'usage' | 'revision' | 'stale'>;

/** The members of each add-on that say which engine made it, how, and of which revision. */
const originJson = ({ engine, droppedItems, warnings, usage, revision, stale }: Made) => ({ engine, dropped_items: droppedItems, warnings: warningsJson(warnings), usage: usageJson(usage), revision, stale });

/** Until it is completed, only what is asked and how far it is. */
export function summaryJson(message: summary.Summary): SummaryJson {
  const status = statusOfWork(message.status);
  const described = {
    summary_id: message.summaryId,
    job_id: message.jobId,
    status,
    default: message.isDefault,
    created_at: timeText(message.createdAt) ?? '',
    completed_at: timeText(message.completedAt),
    error: message.error && failureJson(message.error),
    format: message.format as SummaryJson['format'],
  };
  if (status !== 'completed') return present(described);
  return present({
    ...described,
    language: message.language,
    text: message.text,
    action_items: message.actionItems.map(actionItemJson),
    key_decisions: message.keyDecisions.map(findingJson),
    insights: message.insights.map(findingJson),
    ...originJson(message),
  });
}

const actionItemJson = ({ text, owner, due, dueText, evidence }: summary.ActionItem) =>
  present({ text, owner, due, due_text: dueText, evidence: evidence.map(evidenceJson) });

export function highlightsJson(message: summary.Highlights): HighlightsJson {
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

export const chaptersJson = (message: summary.Chapters): ChaptersJson =>
  present({
    job_id: message.jobId,
    chapters: message.chapters.map(({ start, end, headline, gist, evidence }) => ({ start, end, headline, gist, evidence: evidence.map(evidenceJson) })),
    language: message.language,
    ...originJson(message),
  });

export const entitiesJson = (message: summary.Entities): EntitiesJson =>
  present({
    job_id: message.jobId,
    entities: message.entities.map(entityJson),
    method: message.method as EntitiesJson['method'],
    language: message.language,
    ...originJson(message),
  });

const entityJson = ({ type, text, normalized, start, end, segmentId, wordIds, speakerId, method }: summary.Entity): EntitiesJson['entities'][number] =>
  present({
    type: type as EntitiesJson['entities'][number]['type'],
    text,
    normalized,
    start,
    end,
    segment_id: segmentId,
    word_ids: wordIds,
    speaker_id: speakerId,
    method: method as EntitiesJson['method'],
  });

type MoodJson = NonNullable<HighlightsJson['sentiment']>['overall'];

const moodJson = (mood: summary.Mood | undefined): MoodJson => ({
  score: mood?.score ?? 0,
  label: (mood?.label ?? 'neutral') as MoodJson['label'],
  evidence: (mood?.evidence ?? []).map(evidenceJson),
});

const sentimentJson = ({ overall, bySpeaker, timeline }: summary.Sentiment): HighlightsJson['sentiment'] => ({
  overall: moodJson(overall),
  by_speaker: bySpeaker.map(({ speakerId, speaker, mood }) => ({ speaker_id: speakerId, speaker, ...moodJson(mood) })),
  timeline: timeline.map(({ start, end, mood }) => ({ start, end, ...moodJson(mood) })),
});
