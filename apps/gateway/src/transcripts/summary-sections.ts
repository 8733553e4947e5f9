import type { summary, transcription } from '@parlance/contracts';
import { dateInText, inParagraph, textDirection } from '@parlance/languages';

type Section = transcription.DocumentSection;

/** A summary as sections of a document: its text, and lists of what follows from it. */
export const summarySections = ({ format, text, actionItems, keyDecisions, insights }: summary.Summary): Section[] =>
  [
    ...markdownSections('Summary', text).filter(({ heading }) => format !== 'minutes' || !isListed(heading, { actionItems, keyDecisions })),
    listed('Action items', actionItems.map((item) => ({ ...item, text: actionText(item) }))),
    listed('Key decisions', keyDecisions),
    listed('Insights', insights),
  ].filter(({ paragraphs, items }) => paragraphs.length > 0 || items.length > 0);

/** The chapters as a list: headline and gist, with the time at which each starts. */
export const chapterSection = ({ chapters }: summary.Chapters): Section => ({
  heading: 'Chapters',
  paragraphs: [],
  items: chapters.map(({ headline, gist, start }) => ({ text: `${headline}: ${gist}`, start })),
});

/** Minutes have these themselves. The lists have been looked up, and have times. */
const isListed = (heading: string, { actionItems, keyDecisions }: Pick<summary.Summary, 'actionItems' | 'keyDecisions'>): boolean =>
  (actionItems.length > 0 && /^action items$/i.test(heading)) || (keyDecisions.length > 0 && /^(key )?decisions$/i.test(heading));

const listed = (heading: string, findings: readonly summary.Finding[]): Section => ({
  heading,
  paragraphs: [],
  items: findings.map(({ text, evidence }) => ({ text, start: evidence[0]?.start })),
});

/** `Write the report (Anna, 2026-11-27)` */
function actionText({ text, owner, due }: summary.ActionItem): string {
  const direction = textDirection(text) ?? 'ltr';
  const details = [owner && inParagraph(owner, direction), due && dateInText(due, direction)].filter(Boolean).join(', ');
  return details ? `${text} (${details})` : text;
}

/** Headings, lists and paragraphs, which are what summaries are written with; what else Markdown has stays as it is. */
function markdownSections(heading: string, markdown: string): Section[] {
  const sections: Section[] = [{ heading, paragraphs: [], items: [] }];
  for (const line of markdown.split('\n').map((text) => text.trim())) {
    const title = /^#{1,6}\s(.*)/s.exec(line)?.[1]?.trimStart();
    const item = /^(?:[-*+]|\d+[.)])\s(.*)/s.exec(line)?.[1]?.trimStart();
    if (title) sections.push({ heading: plain(title), paragraphs: [], items: [] });
    else if (item) sections.at(-1)?.items.push({ text: plain(item), start: undefined });
    else if (line !== '') sections.at(-1)?.paragraphs.push(plain(line));
  }
  return sections;
}

/** Marks of strong emphasis and code (CommonMark 6.2). The asterisks of a masked word stand behind its first letter, where none begins. */
const OPENING = /(?<![\p{L}\p{N}*_`])(?:\*\*|__|`)(?=\S)/gu;
const CLOSING = /(?<=\S)(?:\*\*|__|`)(?![\p{L}\p{N}*_`])/gu;

/** A text without those marks. */
function plain(text: string): string {
  const closings = [...text.matchAll(CLOSING)];
  let [shown, at] = ['', 0];
  for (const { 0: mark, index } of text.matchAll(OPENING)) {
    const from = index + mark.length;
    const closing = index < at ? undefined : closings.find((each) => each[0] === mark && each.index > from);
    if (!closing) continue;
    shown += text.slice(at, index) + text.slice(from, closing.index);
    at = closing.index + mark.length;
  }
  return shown + text.slice(at);
}
