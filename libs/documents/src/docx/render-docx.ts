import { blocksOf } from '../content/blocks.js';
import type { DocumentHead, DocumentTurn } from '../content/document-content.js';
import { docxParts, FOOTER_ID } from './docx-parts.js';
import { blockXml } from './paragraph-xml.js';
import { WORD_NAMESPACE, XML_DECLARATION } from './xml.js';
import { ZipStream } from './zip-stream.js';

const RELATIONSHIPS = 'xmlns:r="http://schemas.openxmlformats.org/officeDocument/2006/relationships"';

/** A4; twentieths of a point. */
const SECTION =
  `<w:sectPr><w:footerReference w:type="default" r:id="${FOOTER_ID}"/><w:pgSz w:w="11906" w:h="16838"/>` +
  '<w:pgMar w:top="1247" w:right="1247" w:bottom="1247" w:left="1247" w:header="708" w:footer="680" w:gutter="0"/></w:sectPr>';

/** ZIP knows no earlier date. */
const EARLIEST = new Date('1980-01-02T00:00:00.000Z');

/** A Word document, as it grows: no more than a paragraph of it is held. */
export async function* renderDocx(head: DocumentHead, turns: AsyncIterable<DocumentTurn>): AsyncGenerator<Uint8Array> {
  const created = new Date(head.createdAt ?? '');
  const zip = new ZipStream(created > EARLIEST ? created : EARLIEST);
  for (const [name, xml] of docxParts(head)) yield* zip.part(name, [xml]);
  yield* zip.part('word/document.xml', documentXml(head, turns));
  yield* zip.end();
}

async function* documentXml(head: DocumentHead, turns: AsyncIterable<DocumentTurn>): AsyncGenerator<string> {
  yield `${XML_DECLARATION}<w:document ${WORD_NAMESPACE} ${RELATIONSHIPS}><w:body>`;
  for await (const block of blocksOf(head, turns)) yield blockXml(block, head.language);
  yield `${SECTION}</w:body></w:document>`;
}
