import { FIELD_CODES } from '../http/field-codes.js';
import { PROBLEMS, problemEntry } from '../http/problem-catalogue.js';
import { FAILURES, WARNINGS } from '../transcriptions/failure-catalogue.js';
import { escapeHtml, htmlPage } from './html-page.js';

/** Backquotes as code. */
const marked = (text: string): string => escapeHtml(text).replace(/`([^`]+)`/g, '<code>$1</code>');

/** What has codes beside requests, with its place in the index. */
const OTHERS: readonly (readonly [id: string, of: string, codes: Readonly<Record<string, string>>])[] = [
  ['fields', 'Of single fields: <code>errors[].code</code>', FIELD_CODES],
  ['failures', 'Of jobs and stages that failed', FAILURES],
  ['warnings', 'Warnings of jobs that completed', WARNINGS],
];

/** All that the code can mean, which a problem's `type` leads to; undefined for a code that there is not. */
export function problemPage(code: string): string | undefined {
  const entry = problemEntry(code);
  const request = entry && `<p><strong>${escapeHtml(entry.title)}</strong> (HTTP ${entry.status ?? 422})</p><p>${marked(entry.explanation)}</p>`;
  const others = OTHERS.flatMap(([id, of, codes]) => (Object.hasOwn(codes, code) ? `<p><a href="/problems#${id}">${of}</a>: ${marked(codes[code] ?? '')}</p>` : []));
  const meanings = [...(request ? [request] : []), ...others];
  if (meanings.length === 0) return undefined;
  return htmlPage(code, `<p><a href="/problems">Error codes</a></p><h1><code>${escapeHtml(code)}</code></h1>\n${meanings.join('\n')}`);
}

const list = (items: readonly (readonly [term: string, meaning: string])[]): string =>
  `<dl>${items.map(([term, meaning]) => `<dt>${term}</dt><dd>${marked(meaning)}</dd>`).join('')}</dl>`;

const linked = (code: string) => `<a href="/problems/${code}"><code>${code}</code></a>`;

export const PROBLEM_INDEX = htmlPage(
  'Error codes',
  `<p><a href="/">Parlance</a></p><h1>Error codes</h1>
<h2>Of refused requests</h2>${list(Object.entries(PROBLEMS).map(([code, { title }]) => [linked(code), title]))}
${OTHERS.map(([id, of, codes]) => `<h2 id="${id}">${of}</h2>${list(Object.entries(codes).map(([code, meaning]) => [linked(code), meaning]))}`).join('\n')}`,
);
