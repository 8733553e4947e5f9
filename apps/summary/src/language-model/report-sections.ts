import { atxHeading, templateSections, type TemplateSection } from '@parlance/text-analysis';
import type { SummaryRequest } from '../engine/summary-engine.js';
import type { Prompts } from './prompts.js';

/** Describes the sections of a summary in the prompt, and puts the text together from the answer. */
interface ReportSections {
  count: number;
  /** The description of the sections in the prompt. */
  asked: string;
  text(sections: readonly string[]): string;
}

export function reportSections({ format, template = '' }: SummaryRequest, prompts: Prompts): ReportSections {
  if (format !== 'custom') return { count: 1, asked: prompts.format(format), text: ([body = '']) => body.trim() };
  const wanted = templateSections(template);
  const asked = `${prompts.format('custom', { count: wanted.length })}\n${wanted.map(describe).join('\n')}`;
  return { count: wanted.length, asked, text: (bodies) => wanted.map(({ heading }, index) => `${heading}\n\n${withoutHeadings(bodies[index] ?? '') || '–'}`).join('\n\n') };
}

const describe = ({ title, guidance }: TemplateSection, index: number): string =>
  `${index + 1}. ${JSON.stringify(title)}${guidance === '' ? '' : `: ${JSON.stringify(guidance)}`}`;

/** Only the template has headings. Headings of the model become bold lines, and its underlines are removed. */
function withoutHeadings(body: string): string {
  const lines = body.split(/\r?\n/u).filter((line) => !/^ {0,3}(?:=+|-{3,})\s*$/u.test(line));
  return lines.map(withoutSigns).join('\n').trim();
}

function withoutSigns(line: string): string {
  const heading = atxHeading(line);
  if (!heading) return line;
  return heading.title === '' ? '' : `**${heading.title}**`;
}
