import type { summary } from '@parlance/contracts';
import type { SentimentResult } from '../engine/summary-engine.js';
import type { HighlightsDocument } from '../work/work-document.js';
import { highlightsNow } from '../speakers/merge-speakers.js';
import type { SpeakerNames } from './speaker-names.js';
import { findingMessage, workMessage } from './work-message.js';

export function highlightsMessage(document: HighlightsDocument, names: SpeakerNames): summary.Highlights {
  const { keyMoments = [], quotes = [], insights = [], topics = [], sentiment } = document.result ? highlightsNow(document.result, names.merges) : {};
  return {
    ...workMessage(document, names),
    keyMoments: keyMoments.map((moment) => ({ ...moment, title: names.in(moment.title) })),
    quotes: quotes.map(({ speakerId, ...quote }) => ({ ...quote, speakerId, speaker: speakerId === undefined ? undefined : names.of(speakerId) })),
    insights: insights.map((finding) => findingMessage(finding, names)),
    topics: topics.map((topic) => ({ ...topic, name: names.in(topic.name) })),
    sentiment: sentiment && sentimentMessage(sentiment, names),
  };
}

const sentimentMessage = ({ overall, bySpeaker, timeline }: SentimentResult, names: SpeakerNames): summary.Sentiment => ({
  overall,
  bySpeaker: bySpeaker.map(({ speakerId, mood }) => ({ speakerId, speaker: names.of(speakerId), mood })),
  timeline,
});
