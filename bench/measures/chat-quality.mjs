import { ExtractiveChat } from '@parlance/search/extractive-chat';
import { SourceLines } from '@parlance/search/source-lines';
import { withIndexedSet } from '../search-quality/indexed-set.mjs';
import { chatQuestions, labelledSet, segmentsOf } from '../search-quality/labelled-set.mjs';
import { percent } from '../table.mjs';

const accountId = 'bench';
const signal = new AbortController().signal;
const TARGET = { answered: 0.8, refused: 0.9 };

/** Measures how often the built-in chat answers a question by the right turn, and says so when the transcripts have no answer. */
export async function chatQuality() {
  return withIndexedSet(async ({ index, embedder, turns }) => {
    const chat = new ExtractiveChat(embedder);
    const lines = new SourceLines(searchOf(index, embedder), transcriptSource(), () => 0);
    const asked = [];
    for (const question of chatQuestions().filter(({ isHeldOut }) => isHeldOut)) {
      const found = await lines.find(question.text, { accountId, jobId: question.scope, filters: {} }, undefined, signal);
      asked.push({ ...question, cited: await citedBy(chat, question.text, found, turns) });
    }
    const [known, unknown] = [asked.filter(({ turn }) => turn), asked.filter(({ turn }) => !turn)];
    const share = (of, test) => of.filter(test).length / of.length;
    const right = share(known, ({ turn, cited }) => cited.includes(turn));
    const refused = share(unknown, ({ cited }) => cited.length === 0);
    return [
      row(`chat: ${known.length} questions that are answered in a transcript`, `${percent(right)} by the turn that answers`, `${percent(share(known, ({ cited }) => cited.length > 0))} answered at all`, `≥ ${percent(TARGET.answered)}`, right >= TARGET.answered),
      row(`chat: ${unknown.length} that are not`, `${percent(refused)} refused`, '', `≥ ${percent(TARGET.refused)}`, refused >= TARGET.refused),
    ];
  });
}

async function citedBy(chat, message, lines, turns) {
  for await (const event of chat.answer({ message, history: [], lines, signal })) {
    if (event.type === 'end') return event.cited.map(({ jobId, segmentId }) => turns.get(`${jobId} ${segmentId}`));
  }
  return [];
}

/** As the service searches. */
const searchOf = (index, embedder) => ({
  search: async (query) => {
    const [embedding] = await embedder.embed({ texts: [query.text], purpose: 'query', signal });
    return index.search({ ...query, embedding });
  },
});

/** As transcription gives transcripts. */
function transcriptSource() {
  const byId = new Map(labelledSet().transcripts.map((transcript) => [transcript.id, transcript]));
  return {
    open: async ({ jobId }) => ({ header: { language: 'en', speakers: [] }, segments: segmentsOf(byId.get(jobId)) }),
  };
}

const row = (name, measured, baseline, target, met) => ({ name, measured, baseline, ratio: '', target, met });
