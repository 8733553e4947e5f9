import ts from 'typescript';
import { partsOfPhp } from './php.mjs';
import { commentFaults, docFaults, nameFaults, wordFaults } from './rules.mjs';

/** Shorter strings are identifiers, units or parts of a protocol rather than messages. */
const MIN_WORDS_OF_A_MESSAGE = 3;

/** @returns {{ line: number, fault: string }[]} the faults of one file, in its order */
export function faultsIn(path, text) {
  if (path.endsWith('.md')) return linesOf(text).flatMap(({ line, content }) => at(line, wordFaults(content)));
  if (/\.ya?ml$/u.test(path)) return linesOf(text).flatMap(({ line, content }) => at(line, wordFaults(/#(.*)/u.exec(content)?.[1] ?? '')));
  return path.endsWith('.php') ? faultsInPhp(text) : faultsInCode(path, text);
}

const linesOf = (text) => text.split('\n').map((content, index) => ({ line: index + 1, content }));
const at = (line, faults) => faults.map((fault) => ({ line, fault }));

function faultsInCode(path, text) {
  const source = ts.createSourceFile(path, text, ts.ScriptTarget.Latest, true, path.endsWith('.ts') ? ts.ScriptKind.TS : ts.ScriptKind.JS);
  const lineAt = (position) => source.getLineAndCharacterOfPosition(position).line + 1;
  const found = [];
  const add = (position, faults) => found.push(...at(lineAt(position), faults));
  const comments = new Map();
  const visit = (node) => {
    collectComments(text, node, comments);
    if (ts.isStringLiteralLike(node) || ts.isTemplateHead(node) || ts.isTemplateMiddleOrTemplateTail(node)) {
      add(node.getStart(), messageFaults(node.text));
    }
    if (ts.isIdentifier(node) && isDeclared(node)) add(node.getStart(), nameFaults(node.text));
    node.getChildren(source).forEach(visit);
  };
  visit(source);
  const ranges = [...comments.values()].map(({ pos, end, kind }) => ({ pos, end, isLine: kind === ts.SyntaxKind.SingleLineCommentTrivia }));
  for (const { position, faults } of faultsInComments(ranges, text)) add(position, faults);
  return found.toSorted((one, other) => one.line - other.line);
}

function faultsInPhp(text) {
  const { ranges, strings, names } = partsOfPhp(text);
  const found = [
    ...faultsInComments(ranges, text),
    ...strings.map(({ pos, text: content }) => ({ position: pos, faults: messageFaults(content) })),
    ...names.map(({ pos, text: name }) => ({ position: pos, faults: nameFaults(name) })),
  ];
  const lineAt = (position) => text.slice(0, position).split('\n').length;
  return found.flatMap(({ position, faults }) => (faults.length === 0 ? [] : at(lineAt(position), faults))).toSorted((one, other) => one.line - other.line);
}

const messageFaults = (text) => (text.trim().split(/\s+/u).length >= MIN_WORDS_OF_A_MESSAGE ? wordFaults(text) : []);

const faultsInComments = (ranges, text) =>
  joined(ranges, text).map(({ position, isDoc, content }) => ({ position, faults: [...commentFaults(content), ...(isDoc ? docFaults(content) : [])] }));

const isDeclared = (node) => node.parent !== undefined && 'name' in node.parent && node.parent.name === node && !ts.isPropertyAccessExpression(node.parent);

function collectComments(text, node, into) {
  if (node.kind === ts.SyntaxKind.JSDoc || node.pos === node.end) return;
  for (const range of [...(ts.getLeadingCommentRanges(text, node.pos) ?? []), ...(ts.getTrailingCommentRanges(text, node.end) ?? [])]) into.set(range.pos, range);
}

/** Line comments on consecutive lines are one comment. */
function joined(ranges, text) {
  const comments = [];
  let previous;
  for (const range of ranges.toSorted((one, other) => one.pos - other.pos)) {
    const { isLine } = range;
    const content = contentOf(text.slice(range.pos, range.end));
    if (isLine && previous !== undefined && /^\s*$/u.test(text.slice(previous.end, range.pos)) && !text.slice(previous.end, range.pos).includes('\n\n')) {
      previous.comment.content += ` ${content}`;
      previous.end = range.end;
      continue;
    }
    const comment = { position: range.pos, isDoc: text.startsWith('/**', range.pos), content };
    comments.push(comment);
    previous = isLine ? { end: range.end, comment } : undefined;
  }
  return comments;
}

/** The prose of a comment without its marks; tags such as `@param` end it. */
function contentOf(comment) {
  const prose = comment
    .replace(/^\/\*\*?|\*\/$/gu, '')
    .split('\n')
    .map((line) => line.replace(/^\s*(?:\/\/|#|\*)?\s?/u, '').trim())
    .join(' ')
    .trim();
  return prose.split(/(?:^| )@(?:param|return|throws|var|template|implements|dataProvider|testWith|phpstan)/u)[0].trim();
}
