// Writes punctuation by a model of sherpa-onnx in a process of its own. Plain JavaScript, so that it runs unchanged from src/ and from
// dist/. In: `{ load: { online } }` or `{ load: { offline } }`, then `{ text }`; out: `{}`, and `{ text }`.
import { createRequire } from 'node:module';
import { answerParent } from '../../local-models/answer-parent.mjs';

const { OfflinePunctuation, OnlinePunctuation } = createRequire(import.meta.url)('sherpa-onnx-node');
let model;

answerParent(({ load, text }) => {
  if (!load) return { text: model.addPunct(text) };
  model = load.online ? new OnlinePunctuation(load.online) : new OfflinePunctuation(load.offline);
  return {};
});
