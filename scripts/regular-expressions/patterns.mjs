// Every regular expression of a source file: literals, and what `RegExp(…)` is given.
import ts from 'typescript';

/** Stands for a part that is known only when the program runs, such as a name. */
const UNKNOWN_PART = 'x';

/** @returns {{ source: string, flags: string, line: number }[]} */
export function patternsIn(path, text) {
  const file = ts.createSourceFile(path, text, ts.ScriptTarget.Latest, true);
  const constants = constantsOf(file);
  const found = [];
  const visit = (node) => {
    const pattern = ts.isRegularExpressionLiteral(node) ? fromLiteral(node.text) : isRegExpCall(node) ? fromCall(node, constants) : undefined;
    if (pattern) found.push({ ...pattern, line: file.getLineAndCharacterOfPosition(node.getStart()).line + 1 });
    ts.forEachChild(node, visit);
  };
  visit(file);
  return found;
}

function fromLiteral(text) {
  const end = text.lastIndexOf('/');
  return { source: text.slice(1, end), flags: text.slice(end + 1) };
}

const isRegExpCall = (node) => (ts.isNewExpression(node) || ts.isCallExpression(node)) && node.expression.getText() === 'RegExp';

const fromCall = ({ arguments: [pattern, flags] }, constants) => ({ source: textOf(pattern, constants), flags: flags ? textOf(flags, constants) : '' });

/** The file's `const name = …`, for patterns that are put together from them. */
function constantsOf(file) {
  const constants = new Map();
  const visit = (node) => {
    if (ts.isVariableDeclaration(node) && ts.isIdentifier(node.name) && node.initializer) constants.set(node.name.text, node.initializer);
    ts.forEachChild(node, visit);
  };
  visit(file);
  return constants;
}

function textOf(node, constants) {
  if (node === undefined) return '';
  if (ts.isStringLiteral(node)) return node.text;
  if (ts.isTaggedTemplateExpression(node) && node.tag.getText() === 'String.raw') return templateText(node.template, constants, (part) => part.rawText);
  if (ts.isTemplateLiteral(node)) return templateText(node, constants, (part) => part.text);
  if (ts.isBinaryExpression(node) && node.operatorToken.kind === ts.SyntaxKind.PlusToken) return textOf(node.left, constants) + textOf(node.right, constants);
  if (ts.isIdentifier(node) && constants.has(node.text)) return textOf(constants.get(node.text), constants);
  return UNKNOWN_PART;
}

function templateText(node, constants, textOfPart) {
  if (ts.isNoSubstitutionTemplateLiteral(node)) return textOfPart(node);
  return node.templateSpans.reduce((text, { expression, literal }) => text + textOf(expression, constants) + textOfPart(literal), textOfPart(node.head));
}
