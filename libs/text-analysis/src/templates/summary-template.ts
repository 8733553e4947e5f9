/** A section that a template asks for. */
export interface TemplateSection {
  /** As the template has it, number signs included: `## Next steps`. */
  heading: string;
  /** Without them. */
  title: string;
  /** The text of the template below the heading, which describes how to fill it. */
  guidance: string;
}

const MAX_SECTIONS = 40;
const MAX_TITLE = 200;

const HEADING = /^ {0,3}(#{1,6})[ \t]+(.*)$/su;
const FENCE = /^ {0,3}(`{3,}|~{3,})/u;

/**
 * Parses a heading with number signs (CommonMark 4.2), without its closing signs; undefined when the line is none. Its time
 * grows linearly with the line, since the line is untrusted input.
 */
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

/** Returns the problem of a template, or undefined when it is valid. */
export function templateProblem(template: string): string | undefined {
  const sections = templateSections(template);
  if (sections.length === 0) return 'A template needs at least one named section, such as: ## Decisions';
  if (sections.length > MAX_SECTIONS) return `A template may have ${MAX_SECTIONS} sections.`;
  const repeated = sections.find(({ title }, index) => sections.findIndex((other) => other.title === title) < index);
  if (repeated) return `Two sections have the name ${JSON.stringify(repeated.title.slice(0, MAX_TITLE))}.`;
  return sections.some(({ title }) => title.length > MAX_TITLE) ? `The name of a section may have ${MAX_TITLE} characters.` : undefined;
}

function appendTo(section: TemplateSection | undefined, line: string): void {
  if (section) section.guidance += `${line}\n`;
}
