import { pickDiverse, templateSections, type TemplateSection } from '@parlance/text-analysis';
import type { SummaryResult } from '../engine/summary-engine.js';
import type { Analysis } from './analysis.js';
import { sentence } from './sentence.js';
import { bullets, itemBullets, linesIn, NOTHING } from './line-text.js';

type Items = Pick<SummaryResult, 'actionItems' | 'keyDecisions' | 'insights'>;

const LINES_A_SECTION = 4;

/** Exactly the sections of the template, each with the contents that its name requests. */
export function templateText(analysis: Analysis, template: string, items: Items): string {
  return templateSections(template)
    .map((section) => `${section.heading}\n\n${bodyOf(section, analysis, items) || NOTHING}`)
    .join('\n\n');
}

/** The contents of sections with common names. For any other section, its name and guidance are searched for in the transcript. */
function bodyOf({ title, guidance }: TemplateSection, analysis: Analysis, items: Items): string {
  const { actionItems, keyDecisions, insights } = items;
  if (/\b(?:action|to-?dos?|tasks?|next steps?|follow[- ]?ups?)\b/iu.test(title)) return itemBullets(actionItems);
  if (/\bdeci(?:sion|ded)/iu.test(title)) return itemBullets(keyDecisions);
  if (/\b(?:insights?|findings?|learnings?|takeaways?)\b/iu.test(title)) return itemBullets(insights);
  if (/\b(?:summary|overview|abstract|tl;?dr)\b/iu.test(title)) return linesIn(analysis, LINES_A_SECTION).map(({ text }) => sentence(text)).join(' ');
  return bullets(linesAbout(`${title} ${guidance}`, analysis));
}

function linesAbout(wanted: string, { reader, ranked, likeness }: Analysis) {
  const stems = new Set(reader.terms(wanted).map(({ stem }) => stem));
  const about = ranked
    .map((line) => ({ ...line, score: line.score * [...stems].reduce((sum, stem) => sum + (line.vector.get(stem) ?? 0), 0) }))
    .filter(({ score }) => score > 0)
    .toSorted((a, b) => b.score - a.score);
  return pickDiverse(about, LINES_A_SECTION, likeness).map(({ line }) => line);
}
