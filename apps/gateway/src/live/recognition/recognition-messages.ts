import { live, type common, type ServerMessageOf, type transcripts } from '@parlance/contracts';
import { present } from '../../http/schema.js';
import type { NewLastingMessage } from './lasting-log.js';

const ENDPOINTS = {
  [live.Endpoint.ENDPOINT_UNSPECIFIED]: 'silence',
  [live.Endpoint.ENDPOINT_SILENCE]: 'silence',
  [live.Endpoint.ENDPOINT_LENGTH]: 'length',
  [live.Endpoint.ENDPOINT_FINALIZE]: 'finalize',
  [live.Endpoint.ENDPOINT_END]: 'end',
  [live.Endpoint.UNRECOGNIZED]: 'silence',
} as const;

const MODES = {
  [live.StreamingMode.STREAMING_MODE_UNSPECIFIED]: 'endpointed',
  [live.StreamingMode.STREAMING_MODE_NATIVE]: 'native',
  [live.StreamingMode.STREAMING_MODE_LOCAL_AGREEMENT]: 'local_agreement',
  [live.StreamingMode.STREAMING_MODE_ENDPOINTED]: 'endpointed',
  [live.StreamingMode.UNRECOGNIZED]: 'endpointed',
} as const;

export const modeOf = (mode: live.StreamingMode): ServerMessageOf<'ready'>['mode'] => MODES[mode];

export const boundaryMessage = (type: 'speech_started' | 'speech_ended', { at }: live.SpeechBoundary): NewLastingMessage => ({ type, at });

export const partialMessage = ({ utterance, revision, start, end, text, stableCharacters }: live.PartialUtterance): ServerMessageOf<'partial'> => ({
  type: 'partial',
  utterance,
  revision,
  start,
  end,
  text,
  stable_chars: stableCharacters,
});

export const warningMessage = ({ code, message }: common.Warning): ServerMessageOf<'warning'> => ({ type: 'warning', code, message });

/** Undefined for an utterance that turned out to have no words. */
export function finalMessage({ utterance, segment, endpoint }: live.FinalUtterance): NewLastingMessage | undefined {
  if (!segment || segment.words.length === 0) return undefined;
  const { segmentId, start, end, text, confidence, language, words } = segment;
  return present({ type: 'final' as const, utterance, id: segmentId || `utt_${utterance}`, start, end, text, confidence, words: words.map(wordJson), language, endpoint: ENDPOINTS[endpoint] });
}

const wordJson = ({ start, end, text, confidence, raw, redacted, redactedBy }: transcripts.Word) => present({ start, end, text, confidence, raw, redacted, redacted_by: redactedBy });
