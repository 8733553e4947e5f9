import { PROBLEMS, problemEntry } from '../http/problem-catalogue.js';
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

export const PROBLEM_INDEX = htmlPage(
  'Error codes',
  `<p><a href="/">Parlance</a></p><h1>Error codes</h1><dl>${Object.entries(PROBLEMS)
    .map(([code, { title }]) => `<dt><a href="/problems/${code}"><code>${code}</code></a></dt><dd>${escapeHtml(title)}</dd>`)
    .join('')}</dl>`,
);
