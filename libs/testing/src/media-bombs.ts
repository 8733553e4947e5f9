import { readFile } from 'node:fs/promises';
import { silence, tone, type MediaFiles } from './media-files.js';

/** Small files that would unpack to hours, one of each kind. */
interface MediaBomb {
  kind: 'rate' | 'channels' | 'stated' | 'stated gap' | 'unstated gap';
  path: string;
}

/** A WAV file of 8-bit samples with the header that its maker likes. */
export function wavFile({ rate, channels = 1, bytes }: { rate: number; channels?: number; bytes: number }): Uint8Array {
  const head = Buffer.alloc(44);
  for (const [at, text] of [[0, 'RIFF'], [8, 'WAVEfmt '], [36, 'data']] as const) head.write(text, at);
  for (const [at, value] of [[4, 36 + bytes], [16, 16], [24, rate], [28, rate * channels], [40, bytes]] as const) head.writeUInt32LE(value, at);
  for (const [at, value] of [[20, 1], [22, channels], [32, channels], [34, 8]] as const) head.writeUInt16LE(value, at);
  return Buffer.concat([head, Buffer.alloc(bytes, 128)]);
}

/** Three seconds of FLAC that state eleven hours: the low 32 of the 36 bits of STREAMINFO's number of samples are forged. */
export async function flacOfElevenHours(files: MediaFiles): Promise<Uint8Array> {
  const flac = await readFile(await files.make('three-seconds.flac', ...silence(3)));
  flac.writeUInt32BE(16_000 * 11 * 3600, 8 + 14);
  return flac;
}

/** The second half comes ten hours after the first. */
const GAP = ['-af', "asetpts='PTS+if(gte(T,0.5),36000/TB,0)'"];

export async function mediaBombs(files: MediaFiles): Promise<MediaBomb[]> {
  return [
    { kind: 'rate', path: await files.write('rate.wav', wavFile({ rate: 1, bytes: 43_100 })) },
    { kind: 'channels', path: await files.write('channels.wav', wavFile({ rate: 8000, channels: 255, bytes: 43_100 - (43_100 % 255) })) },
    { kind: 'stated', path: await files.write('stated.flac', await flacOfElevenHours(files)) },
    { kind: 'stated gap', path: await files.make('gap.mkv', ...tone(1), ...GAP, '-c:a', 'libvorbis') },
    { kind: 'unstated gap', path: await files.make('gap.webm', ...tone(1), ...GAP, '-c:a', 'libopus', '-f', 'webm', '-live', '1') },
  ];
}
