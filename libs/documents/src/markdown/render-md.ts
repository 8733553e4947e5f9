import { blocksOf, type Block } from '../content/blocks.js';
import type { DocumentHead, DocumentTurn } from '../content/document-content.js';
import { renderTemplate } from './document-template.js';
import { markdownText } from './markdown-text.js';

/** A Markdown document (CommonMark): title, facts, summary and the transcript in paragraphs; or what the template of its head makes. */
export async function* renderMd(head: DocumentHead, turns: AsyncIterable<DocumentTurn>): AsyncGenerator<Uint8Array> {
  const { template } = head;
  if (template !== undefined) return yield Buffer.from(await renderTemplate(template, head, turns));
  let last: Block['kind'] | undefined;
  for await (const block of blocksOf(head, turns)) {
    // The items of a list stand together.
    const gap = last === undefined ? '' : last === 'item' && block.kind === 'item' ? '\n' : '\n\n';
    yield Buffer.from(gap + markdownOf(block));
    last = block.kind;
  }
  yield Buffer.from('\n');
}

function markdownOf(block: Block): string {
  const text = markdownText(block.text);
  switch (block.kind) {
    case 'title':
      return `# ${text}`;
    case 'heading':
      return `## ${text}`;
    case 'item':
      return `- ${text}${block.time === undefined ? '' : ` (${block.time})`}`;
    case 'turn':
      return `${openingOf(block)}${text}`;
    default:
      return text;
  }
}

/** `**Anna** (00:01:02): ` */
function openingOf({ speaker, time }: { speaker?: string; time?: string }): string {
  const when = time === undefined ? '' : `(${time})`;
  if (speaker === undefined) return when && `${when} `;
  return `**${markdownText(speaker)}**${when && ` ${when}`}: `;
}
