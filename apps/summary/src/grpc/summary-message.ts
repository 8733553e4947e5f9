import type { summary } from '@parlance/contracts';
import type { ActionItem } from '../engine/summary-engine.js';
import type { SummaryDocument } from '../work/work-document.js';
import { summaryNow } from '../speakers/merge-speakers.js';
import type { SpeakerNames } from './speaker-names.js';
import { findingMessage, workMessage } from './work-message.js';

export function summaryMessage(document: SummaryDocument, names: SpeakerNames): summary.Summary {
  const { id, createdAt, completedAt, isDefault, request } = document;
  const result = document.result && summaryNow(document.result, names.merges);
  return {
    ...workMessage(document, names),
    summaryId: id,
    createdAt: new Date(createdAt),
    completedAt: completedAt === undefined ? undefined : new Date(completedAt),
    format: request.format,
    text: names.in(result?.text ?? ''),
    actionItems: (result?.actionItems ?? []).map((item) => actionItemMessage(item, names)),
    keyDecisions: (result?.keyDecisions ?? []).map((finding) => findingMessage(finding, names)),
    insights: (result?.insights ?? []).map((finding) => findingMessage(finding, names)),
    isDefault,
  };
}

const actionItemMessage = ({ owner, due, dueText, ...finding }: ActionItem, names: SpeakerNames): summary.ActionItem => ({
  ...findingMessage(finding, names),
  owner: owner === undefined ? undefined : names.in(owner),
  due,
  dueText,
});
