import { PROBLEMS, problemEntry } from '../http/problem-catalogue.js';
import { FAILURES, WARNINGS } from '../transcriptions/failure-catalogue.js';
import { escapeHtml, htmlPage } from './html-page.js';

/** Backquotes as code. */
const marked = (text: string): string => escapeHtml(text).replace(/`([^`]+)`/g, '<code>$1</code>');

/** The page that a problem's `type` leads to; undefined for a code that there is not. */
export function problemPage(code: string): string | undefined {
  const entry = problemEntry(code);
  if (!entry) return undefined;
  return htmlPage(
    code,
    `<p><a href="/problems">Error codes</a></p><h1><code>${escapeHtml(code)}</code></h1>
<p><strong>${escapeHtml(entry.title)}</strong> (HTTP ${entry.status ?? 422})</p><p>${marked(entry.explanation)}</p>`,
  );
}

const list = (items: readonly (readonly [term: string, meaning: string])[]): string =>
  `<dl>${items.map(([term, meaning]) => `<dt>${term}</dt><dd>${marked(meaning)}</dd>`).join('')}</dl>`;

const meanings = (codes: Readonly<Record<string, string>>) => list(Object.entries(codes).map(([code, meaning]) => [`<code>${code}</code>`, meaning]));

export const PROBLEM_INDEX = htmlPage(
  'Error codes',
  `<p><a href="/">Parlance</a></p><h1>Error codes</h1>
<h2>Of refused requests</h2>${list(Object.entries(PROBLEMS).map(([code, { title }]) => [`<a href="/problems/${code}"><code>${code}</code></a>`, title]))}
<h2 id="failures">Of jobs and stages that failed</h2>${meanings(FAILURES)}
<h2 id="warnings">Warnings of jobs that completed</h2>${meanings(WARNINGS)}`,
);
