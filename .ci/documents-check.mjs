// What .ci/parts/documents checks; the texts are those of the unit tests.
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { DocumentWriter } from '@parlance/documents';
import { ALLOCATOR, NODE_FLAGS } from '@parlance/testing';
import { checkCaptions } from './captions-check.mjs';
import { head, SCRIPTS } from './documents-texts.mjs';

const folder = process.env.SCRATCH;
let [passed, failed] = [0, 0];

async function check(name, work) {
  try {
    const said = await work();
    passed++;
    console.log(`ok      ${name}${said ? `: ${said}` : ''}`);
  } catch (error) {
    failed++;
    console.log(`FAILED  ${name}: ${error.message}`);
  }
}

async function write(format, turns, content = {}, name = 'document') {
  const path = join(folder, `${name}.${format}`);
  const pieces = [];
  for await (const piece of new DocumentWriter({ concurrency: 1, maxWaitMs: 60_000, scratchFolder: folder, spoolBytes: 1e8 }).write(format, { ...head, ...content }, turns)) pieces.push(piece);
  writeFileSync(path, Buffer.concat(pieces));
  return path;
}

async function* turnsOf(turns) {
  let start = 0;
  for (const turn of turns) yield { ...turn, start: (start += 10) };
}

const run = (command, ...args) => execFileSync(command, args, { encoding: 'utf8', maxBuffer: 1e8 });
/** Marks of direction and spaces are each reader's own. */
const bare = (text) => text.normalize('NFKC').replace(/[\s\u200e\u200f\u202a-\u202e]+/g, '');

const pdf = await write('pdf', turnsOf(SCRIPTS));
await check('qpdf finds no fault in a PDF of ten scripts', () => void run('qpdf', '--check', pdf));
const extracted = bare(run('pdftotext', pdf, '-'));
for (const { text, speaker } of SCRIPTS) {
  await check(`pdftotext extracts what ${speaker} says`, () => {
    // Poppler puts a full stop that ends a right-to-left line before it.
    const words = text.split(' ').map((word) => bare(word.replace(/[.,،:?؟!]/g, '')));
    const lost = words.filter((word) => !extracted.includes(word));
    if (lost.length > 0) throw new Error(`lost: ${lost.join(' ')}`);
  });
}
const docx = await write('docx', turnsOf(SCRIPTS));
await check('Python reads the DOCX and finds every text', () => {
  const program = `
import sys, zipfile, xml.etree.ElementTree as tree
parts = zipfile.ZipFile(sys.argv[1])
assert parts.testzip() is None
for name in parts.namelist(): tree.fromstring(parts.read(name))
w = '{http://schemas.openxmlformats.org/wordprocessingml/2006/main}'
for paragraph in tree.fromstring(parts.read('word/document.xml')).iter(w + 'p'):
    print(''.join(text.text or '' for text in paragraph.iter(w + 't')))`;
  const text = run('python3', '-c', program, docx);
  for (const turn of SCRIPTS) if (!text.includes(turn.text)) throw new Error(`lost: ${turn.text}`);
});

/** Right to left as a whole, and left to right: with speakers and a summary. */
const OFFICE = [
  { name: 'arabic', language: 'ar', summary: 'سنتحدث عن الميزانية.' },
  { name: 'english', language: 'en', summary: 'The budget is 要約.' },
];
for (const { name, language, summary } of OFFICE) {
  const sections = [{ heading: 'Summary', paragraphs: [summary], items: [{ text: 'Write it', start: 12 }] }];
  await write('docx', turnsOf(SCRIPTS), { language, speakers: SCRIPTS.map(({ speaker }) => speaker), sections }, name);
}
await check('LibreOffice opens DOCX without repair, as text and as PDF', () => {
  const files = OFFICE.map(({ name }) => `${name}.docx`);
  for (const target of ['txt:Text (encoded):UTF8', 'pdf']) {
    // What it cannot load it says, and ends with 0.
    execFileSync('soffice', ['--headless', `-env:UserInstallation=file://${folder}/office`, '--convert-to', target, ...files], { cwd: folder, encoding: 'utf8', stdio: 'pipe', timeout: 200_000 });
  }
  for (const { name } of OFFICE) for (const end of ['txt', 'pdf']) if (!existsSync(join(folder, `${name}.${end}`))) throw new Error(`no ${name}.${end}`);
});
for (const { name, summary } of OFFICE) {
  await check(`LibreOffice finds every text of the ${name} DOCX`, () => {
    const text = bare(readFileSync(join(folder, `${name}.txt`), 'utf8'));
    const lost = [head.title, summary, 'Write it', ...SCRIPTS.flatMap((turn) => [turn.speaker, turn.text])].filter((each) => !text.includes(bare(each)));
    if (lost.length > 0) throw new Error(`lost: ${lost.join(' | ')}`);
    run('qpdf', '--check', join(folder, `${name}.pdf`));
    const shown = bare(run('pdftotext', join(folder, `${name}.pdf`), '-'));
    // The others' order is Poppler's.
    for (const turn of SCRIPTS.filter((each) => !/[\p{Script=Arabic}\p{Script=Hebrew}]/u.test(each.text))) if (!shown.includes(bare(turn.text))) throw new Error(`not in the PDF: ${turn.text}`);
  });
}
await check('LibreOffice does not open a DOCX that is cut', () => {
  writeFileSync(join(folder, 'cut.docx'), readFileSync(join(folder, 'english.docx')).subarray(0, 3000));
  run('soffice', '--headless', `-env:UserInstallation=file://${folder}/office`, '--convert-to', 'pdf', '--outdir', folder, join(folder, 'cut.docx'));
  if (existsSync(join(folder, 'cut.pdf'))) throw new Error('it did, so that opening one says nothing');
});

await checkCaptions(check, folder);

const megabytes = (size) => Math.round(size / 1e6);
/** Twice what was measured, 168 to 181 MB: the collector's threads get less of a busy processor, and then the peak grows. */
const MAX_BYTES = 362e6;
for (const format of ['docx', 'pdf']) {
  await check(`ten hours as ${format} take less than ${megabytes(MAX_BYTES)} MB in all`, () => {
    // In a process of its own, as what the documents above have used would stay counted.
    const program = fileURLToPath(new URL('documents-memory.mjs', import.meta.url));
    const { before, peak, bytes, held } = JSON.parse(execFileSync(process.execPath, [...NODE_FLAGS, '--conditions=default', program, format], { encoding: 'utf8', env: { ...process.env, ...ALLOCATOR } }));
    if (peak > MAX_BYTES) throw new Error(`${megabytes(peak)} MB`);
    return `${megabytes(peak)} MB, ${megabytes(before)} of them before; ${Math.round(bytes / 1000)} kB long; the main thread held for ${Math.round(held)} ms at most`;
  });
}

await check('a word of 200 kB is set within the memory of a thread', async () => void run('qpdf', '--check', await write('pdf', turnsOf([{ text: 'x'.repeat(200_000) }]))));

console.log(`${passed} passed, ${failed} failed`);
process.exitCode = failed === 0 ? 0 : 1;
