import { paragraphsOf, type Paragraph, type Sentence } from '@parlance/transcript';
import { Lookahead } from '../lookahead.js';

interface DeepgramParagraph {
  sentences: { text: string; start: number; end: number }[];
  speaker?: number;
  num_words: number;
  start: number;
  end: number;
}

/** @param speakers the ids of the speakers in order, when the paragraphs name them */
export async function* deepgramParagraphs(sentencesOf: () => AsyncGenerator<Sentence>, speakers: readonly string[] | undefined): AsyncGenerator<DeepgramParagraph> {
  const sentences = new Lookahead(sentencesOf());
  try {
    for await (const paragraph of paragraphsOf(sentencesOf(), { speakers: speakers !== undefined })) {
      const speaker = speakerOf(paragraph, speakers);
      yield { sentences: await sentencesUntil(paragraph, sentences), ...(speaker >= 0 && { speaker }), num_words: paragraph.text.split(/\s+/).length, start: paragraph.start, end: paragraph.end };
    }
  } finally {
    await sentences.close();
  }
}

/** The paragraphs as one text, with the speakers where they change. */
export async function* paragraphTexts(sentences: AsyncGenerator<Sentence>, speakers: readonly string[] | undefined): AsyncGenerator<string> {
  for await (const paragraph of paragraphsOf(sentences, { speakers: speakers !== undefined })) {
    const speaker = speakerOf(paragraph, speakers);
    yield `\n${speaker >= 0 && paragraph.beginsTurn ? `Speaker ${speaker}: ` : ''}${paragraph.text}\n`;
  }
}

/** -1 for a paragraph that names none. */
const speakerOf = ({ speakerId = '' }: Paragraph, speakers: readonly string[] | undefined): number => speakers?.indexOf(speakerId) ?? -1;

/** The sentences up to the one that the paragraph ends with. */
async function sentencesUntil({ segmentIds, lastWordId }: Paragraph, sentences: Lookahead<Sentence>): Promise<DeepgramParagraph['sentences']> {
  const own: DeepgramParagraph['sentences'] = [];
  for (let sentence = await sentences.take(); sentence; sentence = await sentences.take()) {
    const { text, start, end } = sentence;
    own.push({ text, start, end });
    if (sentence.segmentIds.at(-1) === segmentIds.at(-1) && sentence.lastWordId === lastWordId) break;
  }
  return own;
}
