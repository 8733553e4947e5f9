/** A section that a template asks for. */
export interface TemplateSection {
  /** As the template has it, number signs included: `## Next steps`. */
  heading: string;
  /** Without them. */
  title: string;
  /** What the template says below the heading: how to fill it. */
  guidance: string;
}

export const MAX_SECTIONS = 40;
const MAX_TITLE = 200;

const HEADING = /^ {0,3}(#{1,6})[ \t]+(.*)$/su;
const FENCE = /^ {0,3}(`{3,}|~{3,})/u;

/** A heading by number signs (CommonMark 4.2) without those that close it; undefined: the line is none. In time that grows with the line alone, whoever wrote it. */
export function atxHeading(line: string): { signs: string; title: string } | undefined {
  const [, signs, rest] = HEADING.exec(line) ?? [];
  if (signs === undefined || rest === undefined) return undefined;
  const written = rest.trim();
  let end = written.length;
  while (written[end - 1] === '#') end--;
  const isClosed = end === 0 || /[ \t]/u.test(written[end - 1] ?? '');
  return { signs, title: isClosed ? written.slice(0, end).trimEnd() : written };
}

/** The named sections of a Markdown template, in order. Empty: it names none. */
export function templateSections(template: string): TemplateSection[] {
  const sections: TemplateSection[] = [];
  let fence: string | undefined;
  for (const line of template.split(/\r?\n/u)) {
    const mark = FENCE.exec(line)?.[1]?.[0];
    if (mark !== undefined && (fence === undefined || fence === mark)) fence = fence === undefined ? mark : undefined;
    const heading = fence === undefined ? atxHeading(line) : undefined;
    if (heading?.title) sections.push({ heading: `${heading.signs} ${heading.title}`, title: heading.title, guidance: '' });
    else appendTo(sections.at(-1), line);
  }
  return sections.map((section) => ({ ...section, guidance: section.guidance.trim() }));
}

/** What is wrong with a template; undefined: nothing. */
export function templateProblem(template: string): string | undefined {
  const sections = templateSections(template);
  if (sections.length === 0) return 'A template needs at least one named section, such as: ## Decisions';
  if (sections.length > MAX_SECTIONS) return `A template may have ${MAX_SECTIONS} sections.`;
  return sections.some(({ title }) => title.length > MAX_TITLE) ? `The name of a section may have ${MAX_TITLE} characters.` : undefined;
}

function appendTo(section: TemplateSection | undefined, line: string): void {
  if (section) section.guidance += `${line}\n`;
}
