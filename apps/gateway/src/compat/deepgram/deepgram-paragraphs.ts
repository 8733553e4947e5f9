import { paragraphsOf, type Paragraph, type Sentence } from '@parlance/transcript';

interface DeepgramParagraph {
  sentences: { text: string; start: number; end: number }[];
  speaker?: number;
  num_words: number;
  start: number;
  end: number;
}

/** @param speakers the ids of the speakers in order, when the paragraphs name them */
export async function deepgramParagraphs(sentences: readonly Sentence[], speakers: readonly string[] | undefined): Promise<{ transcript: string; paragraphs: DeepgramParagraph[] }> {
  const rest = [...sentences];
  const paragraphs: DeepgramParagraph[] = [];
  let transcript = '';
  for await (const paragraph of paragraphsOf(each(sentences), { speakers: speakers !== undefined })) {
    const speaker = speakers?.indexOf(paragraph.speakerId ?? '') ?? -1;
    const own = rest.splice(0, lastOf(paragraph, rest) + 1);
    paragraphs.push({ sentences: own.map(({ text, start, end }) => ({ text, start, end })), ...(speaker >= 0 && { speaker }), num_words: paragraph.text.split(/\s+/).length, start: paragraph.start, end: paragraph.end });
    transcript += `\n${speaker >= 0 && paragraph.beginsTurn ? `Speaker ${speaker}: ` : ''}${paragraph.text}\n`;
  }
  return { transcript, paragraphs };
}

async function* each(sentences: readonly Sentence[]): AsyncGenerator<Sentence> {
  yield* sentences;
}

/** The index of the sentence that a paragraph ends with. */
function lastOf({ segmentIds, lastWordId }: Paragraph, sentences: readonly Sentence[]): number {
  return sentences.findIndex((sentence) => sentence.segmentIds.at(-1) === segmentIds.at(-1) && sentence.lastWordId === lastWordId);
}
