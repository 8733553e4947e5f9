import { common, type ingest } from '@parlance/contracts';
import { namesByMessage } from './job-names.js';
import type { ShownAudio } from './live-audio-schema.js';

const { LiveEncoding, LiveFinalPass } = common;

export const LIVE_ENCODING = {
  pcm_s16le: LiveEncoding.LIVE_ENCODING_PCM_S16LE,
  mulaw: LiveEncoding.LIVE_ENCODING_MULAW,
  alaw: LiveEncoding.LIVE_ENCODING_ALAW,
} as const;

const encodingName = namesByMessage(LIVE_ENCODING);

export const liveJobJson = ({ open, audio, finalPass, storeAudio }: ingest.LiveJob) => ({
  open,
  audio: audioJson(audio),
  final_pass: finalPass === LiveFinalPass.LIVE_FINAL_PASS_SAME ? 'same' : 'none',
  store_audio: storeAudio,
});

function audioJson(audio: common.LiveAudio | undefined): ShownAudio {
  const encoding = encodingName(audio?.encoding ?? '');
  return audio && encoding ? { encoding, sample_rate: audio.sampleRate, channels: audio.channels } : { container: 'auto' };
}
