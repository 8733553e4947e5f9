import { eventually, type Parlance } from '@parlance/testing';

/** The detectors of speech: one waits for the next recording (while it judges one, it has another name), one for the next live session. */
const KEPT = ['silero-idle', 'silero-streams'];

/** Waits until no program runs for a job any more and no temporary file is there. @throws Error naming which of both stays */
export async function nothingLeft(parlance: Parlance): Promise<void> {
  await eventually('the programs to end', async () => (await parlance.programs()).every(({ name }) => KEPT.includes(name)));
  await eventually('the scratch folder to be empty', async () => (await parlance.scratch()).length === 0);
}
