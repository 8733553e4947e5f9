import type { transcripts } from '@parlance/contracts';

const LETTERS = 26;

/** The name that a person gave the speaker, otherwise a letter by the order of first speaking, as OpenAI and AssemblyAI have it. */
export function speakerName(speakerId: string | undefined, speakers: readonly transcripts.Speaker[]): string {
  const index = speakers.findIndex((speaker) => speaker.speakerId === speakerId);
  const name = speakers[index]?.name;
  if (name !== undefined && !/^Speaker \d+$/.test(name)) return name;
  return index < LETTERS ? String.fromCharCode(65 + Math.max(0, index)) : `S${index + 1}`;
}
