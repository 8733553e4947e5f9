// Runs a speech model of sherpa-onnx in a process of its own. Plain JavaScript, so that it runs as it is from src/ and from
// dist/. In: `{ load: config }`, then `{ samples: Int16Array, language: string }`; out, once for each: `{}` and the result.
import { createRequire } from 'node:module';
import { answerParent } from '../../local-models/answer-parent.mjs';

const { OfflineRecognizer } = createRequire(import.meta.url)('sherpa-onnx-node');
const SAMPLE_RATE = 16_000;
let config;
let recognizer;

/** Whisper and SenseVoice get the language beforehand; an empty one is detected. */
function speak(language) {
  const { whisper, senseVoice } = config.modelConfig;
  const family = whisper ?? senseVoice;
  if (!family || family.language === language) return;
  family.language = language;
  if (whisper) recognizer.setConfig(config);
  // SenseVoice heeds the language only of the settings it was loaded with.
  else recognizer = new OfflineRecognizer(config);
}

function recognize(samples, language) {
  speak(language);
  const stream = recognizer.createStream();
  stream.acceptWaveform({ samples: Float32Array.from(samples, (sample) => sample / 32768), sampleRate: SAMPLE_RATE });
  recognizer.decode(stream);
  return recognizer.getResult(stream);
}

answerParent(({ load, samples, language }) => {
  if (!load) return recognize(samples, language);
  config = load;
  recognizer = new OfflineRecognizer(config);
  return {};
});
