import { closingMark } from '@parlance/languages';
import type { Block } from '../content/blocks.js';
import { bidiLevels, paragraphDirection, type Direction } from '../layout/bidi-text.js';
import { isComplex } from './docx-fonts.js';
import { escapeXml } from './xml.js';

const STYLE_IDS = { title: 'Title', facts: 'Subtitle', heading: 'Heading1', text: 'Turn', item: 'ListBullet', turn: 'Turn' } as const;

/** A block as paragraphs of WordprocessingML. */
export function blockXml(block: Block, language: string): string {
  const direction = paragraphDirection(block.text, language);
  const runs = runsXml(block.text, direction, language);
  if (block.kind === 'turn') return labelXml(block, direction, language) + paragraphXml(STYLE_IDS.turn, direction, runs);
  const time = block.kind === 'item' && block.time !== undefined ? `${gapAfter(block.text, direction)}${styledRun('Time', block.time)}` : '';
  return paragraphXml(STYLE_IDS[block.kind], direction, runs + time);
}

function labelXml({ speaker, time }: Block & { kind: 'turn' }, direction: Direction, language: string): string {
  const name = speaker === undefined ? '' : runsXml(speaker, direction, language, '<w:rStyle w:val="SpeakerName"/>');
  const at = time === undefined ? '' : styledRun('Time', time);
  return name + at === '' ? '' : paragraphXml('Speaker', direction, name && at ? name + gapAfter(speaker ?? '', direction) + at : name + at);
}

const paragraphXml = (style: string, direction: Direction, runs: string): string =>
  `<w:p><w:pPr><w:pStyle w:val="${style}"/>${direction === 'rtl' ? '<w:bidi/>' : ''}</w:pPr>${runs}</w:p>`;

/** Between a text and its time, which must not be drawn into a text that runs against the paragraph. */
function gapAfter(text: string, direction: Direction): string {
  const mark = closingMark(text, direction);
  const properties = mark !== '' && direction === 'rtl' ? '<w:rPr><w:rtl/></w:rPr>' : '';
  return `<w:r>${properties}<w:t xml:space="preserve">${mark}   </w:t></w:r>`;
}

const styledRun = (style: string, text: string): string => `<w:r><w:rPr><w:rStyle w:val="${style}"/></w:rPr><w:t>${escapeXml(text)}</w:t></w:r>`;

/** Word needs the direction of each run; it finds the order of the runs by itself. */
function runsXml(text: string, direction: Direction, language: string, properties = ''): string {
  const levels = bidiLevels(text, direction);
  const runs: string[] = [];
  let from = 0;
  for (let to = 1; to <= text.length; to++) {
    const isRightToLeft = (levels[from] ?? 0) % 2 === 1;
    if (to < text.length && ((levels[to] ?? 0) % 2 === 1) === isRightToLeft) continue;
    const kind = isRightToLeft ? '<w:rtl/>' : isComplex(language) ? '<w:cs/>' : '';
    const all = properties + kind;
    runs.push(`<w:r>${all ? `<w:rPr>${all}</w:rPr>` : ''}<w:t xml:space="preserve">${escapeXml(text.slice(from, to))}</w:t></w:r>`);
    from = to;
  }
  return runs.join('');
}
