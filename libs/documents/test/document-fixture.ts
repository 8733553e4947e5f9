import type { DocumentHead, DocumentTurn } from '../src/content/document-content.js';

export const HEAD: DocumentHead = {
  title: 'Planning',
  createdAt: '2026-11-21T10:00:00.000Z',
  language: 'en',
  duration: 120,
  speakers: ['Anna'],
  sections: [{ heading: 'Summary', paragraphs: ['We plan.'], items: [{ text: 'Write it', start: 12 }] }],
};

export async function* turnsOf(...turns: DocumentTurn[]): AsyncGenerator<DocumentTurn> {
  yield* turns;
}

export async function collectBytes(pieces: AsyncIterable<Uint8Array>): Promise<Buffer> {
  const collected: Uint8Array[] = [];
  for await (const piece of pieces) collected.push(piece);
  return Buffer.concat(collected);
}

/** A sentence of each script that a document must show, and who says it. */
export const SCRIPTS: readonly (DocumentTurn & { speaker: string })[] = [
  { speaker: 'Žaneta', text: 'Příliš žluťoučký kůň — “úpěl” ďábelské ódy: ¿no?' },
  { speaker: 'Анна', text: 'Съешь же ещё этих мягких французских булок, да выпей чаю.' },
  { speaker: 'Γιώργος', text: 'Ξεσκεπάζω την ψυχοφθόρα βδελυγμία.' },
  { speaker: 'ليلى', text: 'مرحبا بكم في الاجتماع الأول. سنتحدث عن الميزانية وعن خطة التوظيف لا غير.' },
  { speaker: 'דוד', text: 'שלום לכולם וברוכים הבאים לפגישה של היום. יש שאלות?' },
  { speaker: 'अनिता', text: 'नमस्ते, यह हिन्दी में लिखा गया वाक्य है। क्या आप किताबें पढ़ते हैं?' },
  { speaker: '王芳', text: '大家好，欢迎参加今天的会议。我们将讨论预算问题。' },
  { speaker: '田中', text: '皆さん、こんにちは。本日の会議へようこそ。ショッピングに行きましょう。' },
  { speaker: '김민수', text: '안녕하세요, 오늘 회의에 오신 것을 환영합니다.' },
  { speaker: 'สมชาย', text: 'สวัสดีครับ ยินดีต้อนรับสู่การประชุมวันนี้' },
];
