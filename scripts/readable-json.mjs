const LINE_LENGTH = 120;

/** JSON with two blanks a level, in which what fits into a line is one: a small object changes in one line of a comparison. */
export function readableJson(value, indentation = '') {
  const inLine = JSON.stringify(value);
  const isSmall = inLine.length + indentation.length <= LINE_LENGTH;
  if (typeof value !== 'object' || value === null || isSmall) return inLine;
  const deeper = `${indentation}  `;
  if (Array.isArray(value)) return `[\n${value.map((item) => deeper + readableJson(item, deeper)).join(',\n')}\n${indentation}]`;
  const members = Object.entries(value).filter(([, member]) => member !== undefined);
  return `{\n${members.map(([name, member]) => `${deeper}${JSON.stringify(name)}: ${readableJson(member, deeper)}`).join(',\n')}\n${indentation}}`;
}
