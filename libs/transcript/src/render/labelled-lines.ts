import { LABEL_SUFFIX, type Cue } from './cues.js';

/** The lines of a cue with the name of its speaker written before them, if it is to show one: `Anna: good morning`. */
export function labelledLines({ lines, speaker, labelAlone }: Cue): string[] {
  if (speaker === undefined) return lines;
  if (labelAlone) return [(speaker + LABEL_SUFFIX).trimEnd(), ...lines];
  return lines.map((line, index) => (index === 0 ? speaker + LABEL_SUFFIX + line : line));
}
