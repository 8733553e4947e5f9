import type { DocumentHead } from '../content/document-content.js';
import { titleOf } from '../content/blocks.js';
import { stylesPart } from './docx-styles.js';
import { escapeXml, WORD_NAMESPACE, XML_DECLARATION } from './xml.js';

const PACKAGE = 'http://schemas.openxmlformats.org/package/2006';
const OFFICE = 'http://schemas.openxmlformats.org/officeDocument/2006';
const WORD_TYPE = 'application/vnd.openxmlformats-officedocument.wordprocessingml';

const PART_TYPES: Readonly<Record<string, string>> = {
  '/word/document.xml': `${WORD_TYPE}.document.main+xml`,
  '/word/styles.xml': `${WORD_TYPE}.styles+xml`,
  '/word/settings.xml': `${WORD_TYPE}.settings+xml`,
  '/word/numbering.xml': `${WORD_TYPE}.numbering+xml`,
  '/word/footer1.xml': `${WORD_TYPE}.footer+xml`,
  '/docProps/core.xml': 'application/vnd.openxmlformats-package.core-properties+xml',
};

const contentTypes = (): string =>
  `${XML_DECLARATION}<Types xmlns="${PACKAGE}/content-types">` +
  '<Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/><Default Extension="xml" ContentType="application/xml"/>' +
  `${Object.entries(PART_TYPES).map(([name, type]) => `<Override PartName="${name}" ContentType="${type}"/>`).join('')}</Types>`;

const relationships = (targets: readonly [type: string, target: string][]): string =>
  `${XML_DECLARATION}<Relationships xmlns="${PACKAGE}/relationships">` +
  `${targets.map(([type, target], index) => `<Relationship Id="rId${index + 1}" Type="${type}" Target="${target}"/>`).join('')}</Relationships>`;

/** The relationship of the footer, by its place in the list. */
export const FOOTER_ID = 'rId4';

const numbering = (): string =>
  `${XML_DECLARATION}<w:numbering ${WORD_NAMESPACE}><w:abstractNum w:abstractNumId="0"><w:multiLevelType w:val="singleLevel"/>` +
  '<w:lvl w:ilvl="0"><w:start w:val="1"/><w:numFmt w:val="bullet"/><w:lvlText w:val="•"/><w:lvlJc w:val="left"/><w:pPr><w:ind w:left="357" w:hanging="357"/></w:pPr></w:lvl>' +
  '</w:abstractNum><w:num w:numId="1"><w:abstractNumId w:val="0"/></w:num></w:numbering>';

const footer = (): string =>
  `${XML_DECLARATION}<w:ftr ${WORD_NAMESPACE}><w:p><w:pPr><w:pStyle w:val="Footer"/></w:pPr><w:r><w:fldChar w:fldCharType="begin"/></w:r>` +
  '<w:r><w:instrText xml:space="preserve"> PAGE </w:instrText></w:r><w:r><w:fldChar w:fldCharType="separate"/></w:r><w:r><w:t>1</w:t></w:r><w:r><w:fldChar w:fldCharType="end"/></w:r></w:p></w:ftr>';

const settings = (): string =>
  `${XML_DECLARATION}<w:settings ${WORD_NAMESPACE}><w:zoom w:percent="100"/><w:defaultTabStop w:val="708"/>` +
  '<w:compat><w:compatSetting w:name="compatibilityMode" w:uri="http://schemas.microsoft.com/office/word" w:val="15"/></w:compat></w:settings>';

function core(head: DocumentHead): string {
  const created = new Date(head.createdAt ?? '');
  const date = Number.isNaN(created.getTime()) ? '' : `<dcterms:created xsi:type="dcterms:W3CDTF">${created.toISOString().replace(/\.\d+Z$/, 'Z')}</dcterms:created>`;
  return (
    `${XML_DECLARATION}<cp:coreProperties xmlns:cp="${PACKAGE}/metadata/core-properties" xmlns:dc="http://purl.org/dc/elements/1.1/" ` +
    'xmlns:dcterms="http://purl.org/dc/terms/" xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance">' +
    `<dc:title>${escapeXml(titleOf(head))}</dc:title><dc:creator>Parlance</dc:creator>${date}<dc:language>${escapeXml(head.language)}</dc:language></cp:coreProperties>`
  );
}

/** Everything of the package but the text (ECMA-376, parts 1 and 2), in the order of the file. */
export const docxParts = (head: DocumentHead): [name: string, xml: string][] => [
  ['[Content_Types].xml', contentTypes()],
  ['_rels/.rels', relationships([[`${OFFICE}/relationships/officeDocument`, 'word/document.xml'], [`${PACKAGE}/relationships/metadata/core-properties`, 'docProps/core.xml']])],
  ['docProps/core.xml', core(head)],
  ['word/_rels/document.xml.rels', relationships(['styles', 'settings', 'numbering', 'footer'].map((part) => [`${OFFICE}/relationships/${part}`, part === 'footer' ? 'footer1.xml' : `${part}.xml`]))],
  ['word/styles.xml', stylesPart(head.language)],
  ['word/settings.xml', settings()],
  ['word/numbering.xml', numbering()],
  ['word/footer1.xml', footer()],
];
