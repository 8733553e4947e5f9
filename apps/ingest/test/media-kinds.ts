import { type MediaFiles, pictures, tone } from '@parlance/testing';

const SECONDS = 2;
const sound = (...codec: string[]): string[] => ['-map', '0', '-c:a', ...codec];
const film = (audio: string, video: string, ...others: string[]): string[] => ['-map', '0', '-map', '1', '-c:a', audio, '-c:v', video, ...others];

/**
 * Small recordings of the containers that are read and of the codecs in them, as far as ffmpeg writes them: it has no encoder
 * for AMR, APE, Musepack and TAK.
 */
const KINDS: readonly (readonly [name: string, ...options: string[]])[] = [
  ['aac.aac', ...sound('aac')],
  ['ac3.ac3', ...sound('ac3')],
  ['pcm.aiff', ...sound('pcm_s16be')],
  ['wma1.asf', ...sound('wmav1')],
  ['wma2.wma', ...sound('wmav2')],
  ['mulaw.au', ...sound('pcm_mulaw')],
  ['mp3.avi', ...film('libmp3lame', 'mpeg4')],
  ['alac.caf', ...sound('alac')],
  ['dts.dts', ...sound('dca', '-strict', '-2')],
  ['eac3.eac3', ...sound('eac3')],
  ['flac.flac', ...sound('flac')],
  ['mp3.flv', ...film('libmp3lame', 'flv1')],
  ['gsm.gsm', ...sound('libgsm', '-ar', '8000', '-ac', '1')],
  ['vorbis.mkv', ...film('libvorbis', 'mpeg4')],
  ['opus.webm', ...sound('libopus')],
  ['alac.mov', ...sound('alac')],
  ['aac.mp4', ...film('aac', 'mpeg4')],
  ['aac.m4a', ...sound('aac')],
  ['aac.3gp', ...film('aac', 'mpeg4')],
  ['mp3.mp3', ...sound('libmp3lame')],
  ['mp2.mp2', ...sound('mp2')],
  ['mp2.mpg', ...film('mp2', 'mpeg1video', '-r', '25')],
  ['aac.ts', ...sound('aac')],
  ['pcm.mxf', ...sound('pcm_s16le', '-ar', '48000', '-f', 'mxf_opatom')],
  ['vorbis.ogg', ...sound('libvorbis')],
  ['opus.opus', ...sound('libopus')],
  ['speex.spx', ...sound('libspeex', '-ar', '16000')],
  ['ac3.rm', ...sound('ac3')],
  ['tta.tta', ...sound('tta')],
  ['pcm.voc', ...sound('pcm_u8')],
  ['pcm24.w64', ...sound('pcm_s24le')],
  ['pcm16.wav', ...sound('pcm_s16le')],
  ['adpcm-ms.wav', ...sound('adpcm_ms')],
  ['adpcm-ima.wav', ...sound('adpcm_ima_wav')],
  ['wavpack.wv', ...sound('wavpack')],
];

/** Makes one file of each kind. @returns their paths */
export async function makeEveryKind(files: MediaFiles): Promise<string[]> {
  await files.makeAll([...tone(SECONDS), ...pictures(SECONDS)], KINDS);
  return KINDS.map(([name]) => files.path(name));
}
