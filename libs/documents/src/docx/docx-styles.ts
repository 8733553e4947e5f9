import { docxFonts, docxLanguage } from './docx-fonts.js';
import { WORD_NAMESPACE, XML_DECLARATION } from './xml.js';

interface DocxStyle {
  id: string;
  name: string;
  paragraph: string;
  /** Half-points. */
  size: number;
  run?: string;
  next?: string;
}

/** Twentieths of a point before and after. */
const spacing = (before: number, after: number, line = 300) => `<w:spacing w:before="${before}" w:after="${after}" w:line="${line}" w:lineRule="auto"/>`;
const color = (rgb: string) => `<w:color w:val="${rgb}"/>`;
const BOLD = '<w:b/><w:bCs/>';

const STYLES: readonly DocxStyle[] = [
  { id: 'Title', name: 'Title', paragraph: `<w:keepNext/>${spacing(0, 60)}`, size: 40, run: BOLD },
  { id: 'Subtitle', name: 'Subtitle', paragraph: spacing(0, 120), size: 19, run: color('6A737D') },
  { id: 'Heading1', name: 'heading 1', paragraph: `<w:keepNext/>${spacing(360, 80)}<w:outlineLvl w:val="0"/>`, size: 26, run: BOLD + color('1F4E79') },
  { id: 'ListBullet', name: 'List Bullet', paragraph: `<w:numPr><w:numId w:val="1"/></w:numPr>${spacing(0, 60)}`, size: 21 },
  { id: 'Speaker', name: 'Speaker', paragraph: `<w:keepNext/>${spacing(220, 0)}`, size: 21, next: 'Turn' },
  { id: 'Turn', name: 'Turn', paragraph: spacing(0, 120), size: 21 },
  { id: 'Footer', name: 'footer', paragraph: '<w:jc w:val="center"/>', size: 18, run: color('6A737D') },
];

/** `word/styles.xml`: a user changes how speakers or headings look in one place. */
export function stylesPart(language: string): string {
  const defaults = `<w:docDefaults><w:rPrDefault><w:rPr>${docxFonts(language)}<w:sz w:val="21"/><w:szCs w:val="21"/>${docxLanguage(language)}</w:rPr></w:rPrDefault><w:pPrDefault/></w:docDefaults>`;
  const normal = '<w:style w:type="paragraph" w:default="1" w:styleId="Normal"><w:name w:val="Normal"/><w:qFormat/></w:style>';
  const name = `<w:style w:type="character" w:customStyle="1" w:styleId="SpeakerName"><w:name w:val="Speaker Name"/><w:rPr>${BOLD}${color('1F4E79')}</w:rPr></w:style>`;
  const time = `<w:style w:type="character" w:customStyle="1" w:styleId="Time"><w:name w:val="Time"/><w:rPr>${color('6A737D')}<w:sz w:val="18"/><w:szCs w:val="18"/></w:rPr></w:style>`;
  return `${XML_DECLARATION}<w:styles ${WORD_NAMESPACE}>${defaults}${normal}${STYLES.map(styleXml).join('')}${name}${time}</w:styles>`;
}

const styleXml = ({ id, name, paragraph, size, run = '', next }: DocxStyle): string =>
  `<w:style w:type="paragraph"${id === 'Speaker' || id === 'Turn' ? ' w:customStyle="1"' : ''} w:styleId="${id}"><w:name w:val="${name}"/>` +
  `<w:basedOn w:val="Normal"/>${next ? `<w:next w:val="${next}"/>` : ''}<w:qFormat/>` +
  `<w:pPr>${paragraph}</w:pPr><w:rPr>${run}<w:sz w:val="${size}"/><w:szCs w:val="${size}"/></w:rPr></w:style>`;
