import { common } from '@parlance/contracts';
import type { LiveSession } from '../session/live-session.js';

const ENCODING = {
  pcm_s16le: common.LiveEncoding.LIVE_ENCODING_PCM_S16LE,
  mulaw: common.LiveEncoding.LIVE_ENCODING_MULAW,
  alaw: common.LiveEncoding.LIVE_ENCODING_ALAW,
} as const;

/** The audio of a session, as the services are told of it. */
export const liveAudioMessage = (audio: LiveSession['audio']): common.LiveAudio =>
  'container' in audio
    ? { encoding: common.LiveEncoding.LIVE_ENCODING_UNSPECIFIED, sampleRate: 0, channels: 0 }
    : { encoding: ENCODING[audio.encoding], sampleRate: audio.sampleRate, channels: audio.channels };
