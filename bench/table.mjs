/**
 * @typedef {object} Row
 * @property {string} name
 * @property {string} measured   with its unit
 * @property {string} baseline   with its unit
 * @property {string} ratio
 * @property {string} target     empty: only reported
 * @property {boolean | undefined} met
 */

/** @param {Row[]} rows @returns {string} a Markdown table */
export function table(rows) {
  const head = ['measure', 'measured', 'baseline', 'ratio', 'target', 'met'];
  const cells = rows.map((row) => [row.name, row.measured, row.baseline, row.ratio, row.target, row.met === undefined ? '' : row.met ? 'yes' : 'NO']);
  const widths = head.map((title, column) => Math.max(title.length, ...cells.map((line) => line[column].length)));
  const line = (values) => `| ${values.map((value, column) => value.padEnd(widths[column])).join(' | ')} |`;
  return [line(head), `|${widths.map((width) => '-'.repeat(width + 2)).join('|')}|`, ...cells.map(line)].join('\n');
}

export const percent = (part) => `${(part * 100).toFixed(1)} %`;
export const times = (ratio) => `${ratio.toFixed(2)} ×`;
export const megabytes = (bytes) => `${(bytes / 1024 / 1024).toFixed(0)} MB`;

/** The value below which `part` of the sorted values lie. */
export const quantile = (sorted, part) => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))] ?? Number.NaN;
