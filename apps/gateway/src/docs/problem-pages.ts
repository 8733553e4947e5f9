import { FAILURE_TEXTS, httpStatusOf, STATE_REASONS } from '@parlance/platform';
import { FIELD_CODES } from '../http/field-codes.js';
import { isProblemCode, PROBLEM_CODES, problemOf, type ProblemCode } from '../http/problem-catalogue.js';
import { WARNINGS } from '../transcriptions/failure-catalogue.js';
import { escapeHtml, htmlPage } from './html-page.js';

/** Backquotes as code. */
const marked = (text: string): string => escapeHtml(text).replace(/`([^`]+)`/g, '<code>$1</code>');

/** The codes that are not those of requests, with their place in the index. */
const OTHERS: readonly (readonly [id: string, of: string, codes: Readonly<Record<string, string>>])[] = [
  ['fields', 'Codes of single fields: <code>errors[].code</code>', FIELD_CODES],
  ['reasons', 'Reasons of <code>invalid_state</code>: <code>reason</code>', STATE_REASONS],
  ['failures', 'Codes of failed jobs and stages', FAILURE_TEXTS],
  ['warnings', 'Warnings of completed jobs', WARNINGS],
];

/** All that the code can mean, which a problem's `type` leads to; undefined for a code that there is not. */
export function problemPage(code: string): string | undefined {
  const others = OTHERS.flatMap(([id, of, codes]) => (Object.hasOwn(codes, code) ? `<p><a href="/problems#${id}">${of}</a>: ${marked(codes[code] ?? '')}</p>` : []));
  const meanings = [...(isProblemCode(code) ? [refusal(code)] : []), ...others];
  if (meanings.length === 0) return undefined;
  return htmlPage(code, `<p><a href="/problems">Error codes</a></p><h1><code>${escapeHtml(code)}</code></h1>\n${meanings.join('\n')}`);
}

function refusal(code: ProblemCode): string {
  const { title, text } = problemOf(code);
  return `<p><strong>${escapeHtml(title)}</strong> (HTTP ${httpStatusOf(code)})</p><p>${marked(text)}</p>`;
}

const list = (items: readonly (readonly [term: string, meaning: string])[]): string =>
  `<dl>${items.map(([term, meaning]) => `<dt>${term}</dt><dd>${marked(meaning)}</dd>`).join('')}</dl>`;

const linked = (code: string) => `<a href="/problems/${code}"><code>${code}</code></a>`;

export const PROBLEM_INDEX = htmlPage(
  'Error codes',
  `<p><a href="/">Parlance</a></p><h1>Error codes</h1>
<h2>Codes of refused requests</h2>${list(PROBLEM_CODES.map((code) => [linked(code), problemOf(code).title]))}
${OTHERS.map(([id, of, codes]) => `<h2 id="${id}">${of}</h2>${list(Object.entries(codes).map(([code, meaning]) => [linked(code), meaning]))}`).join('\n')}`,
);
