import { eventually, type Parlance } from '@parlance/testing';

/** The detector of speech that waits for the next recording; one that still judges a recording has another name. */
const KEPT = 'silero-idle';

/** Waits until no program runs for a job any more and no temporary file is there. @throws Error naming what stays */
export async function nothingLeft(parlance: Parlance): Promise<void> {
  await eventually('the programs to end', async () => (await parlance.programs()).every(({ name }) => name === KEPT));
  await eventually('the scratch folder to be empty', async () => (await parlance.scratch()).length === 0);
}
