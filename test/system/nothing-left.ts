import { eventually, type Parlance } from '@parlance/testing';

/** Waits until no program runs for a job any more and no temporary file is there. @throws Error naming what stays */
export async function nothingLeft(parlance: Parlance): Promise<void> {
  await eventually('the programs to end', async () => (await parlance.programs()).length === 0);
  await eventually('the scratch folder to be empty', async () => (await parlance.scratch()).length === 0);
}
