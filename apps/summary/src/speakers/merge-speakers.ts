import type { ActionItem, ChaptersResult, EntitiesResult, Finding, HighlightsResult, Mood, SpeakerMood, SummaryResult } from '../engine/summary-engine.js';
import { moodLabel } from '@parlance/text-analysis';
import { withMerged } from '../engine/speaker-mentions.js';

type Merges = Readonly<Record<string, string>>;

/** The result with merged speakers replaced, by id. Work that runs during a merge may still mention a speaker that was merged. */
export const summaryNow = (result: SummaryResult, merges: Merges): SummaryResult => mergesOf(merges).reduce(mergedSummary, result);
export const highlightsNow = (result: HighlightsResult, merges: Merges): HighlightsResult => mergesOf(merges).reduce(mergedHighlights, result);
export const chaptersNow = (result: ChaptersResult, merges: Merges): ChaptersResult => mergesOf(merges).reduce(mergedChapters, result);
export const entitiesNow = (result: EntitiesResult, merges: Merges): EntitiesResult => mergesOf(merges).reduce(mergedEntities, result);

const mergesOf = (merges: Merges): SpeakerMerge[] => Object.entries(merges).map(([from, into]) => ({ from, into }));

/** The words of `from` are attributed to `into`. */
interface SpeakerMerge {
  from: string;
  into: string;
}

const merged = (text: string, { from, into }: SpeakerMerge): string => withMerged(text, from, into);
const mergedFinding = <Item extends Finding>(item: Item, merge: SpeakerMerge): Item => ({ ...item, text: merged(item.text, merge) });

const mergedAction = ({ owner, ...item }: ActionItem, merge: SpeakerMerge): ActionItem => ({
  ...mergedFinding(item, merge),
  ...(owner !== undefined && { owner: merged(owner, merge) }),
});

const mergedSummary = (result: SummaryResult, merge: SpeakerMerge): SummaryResult => ({
  ...result,
  text: merged(result.text, merge),
  actionItems: result.actionItems.map((item) => mergedAction(item, merge)),
  keyDecisions: result.keyDecisions.map((item) => mergedFinding(item, merge)),
  insights: result.insights.map((item) => mergedFinding(item, merge)),
});

const mergedHighlights = (result: HighlightsResult, merge: SpeakerMerge): HighlightsResult => ({
  ...result,
  keyMoments: result.keyMoments.map((moment) => ({ ...moment, title: merged(moment.title, merge) })),
  quotes: result.quotes.map((quote) => (quote.speakerId === merge.from ? { ...quote, speakerId: merge.into } : quote)),
  insights: result.insights.map((item) => mergedFinding(item, merge)),
  ...(result.sentiment && { sentiment: { ...result.sentiment, bySpeaker: mergedMoods(result.sentiment.bySpeaker, merge) } }),
});

const mergedChapters = (result: ChaptersResult, merge: SpeakerMerge): ChaptersResult => ({
  ...result,
  chapters: result.chapters.map((chapter) => ({ ...chapter, headline: merged(chapter.headline, merge), gist: merged(chapter.gist, merge) })),
});

const mergedEntities = (result: EntitiesResult, { from, into }: SpeakerMerge): EntitiesResult => ({
  ...result,
  entities: result.entities.map((entity) => (entity.speakerId === from ? { ...entity, speakerId: into } : entity)),
});

/** The mood of both speakers together, each weighted by the time that the speaker speaks. */
function mergedMoods(moods: readonly SpeakerMood[], { from, into }: SpeakerMerge): SpeakerMood[] {
  const [gone, kept] = [moods.find(({ speakerId }) => speakerId === from), moods.find(({ speakerId }) => speakerId === into)];
  if (!gone) return [...moods];
  const together = kept ? { speakerId: into, seconds: kept.seconds + gone.seconds, mood: meanMood(kept, gone) } : { ...gone, speakerId: into };
  return [...moods.filter((mood) => mood !== gone && mood !== kept), together];
}

function meanMood(a: SpeakerMood, b: SpeakerMood): Mood {
  const total = a.seconds + b.seconds || 1;
  const score = Math.round(((a.mood.score * a.seconds + b.mood.score * b.seconds) / total) * 1000) / 1000;
  return { score, label: moodLabel(score), evidence: [...a.mood.evidence, ...b.mood.evidence].slice(0, 2) };
}
