import type { Logger } from '@parlance/platform';

/** Says at the start what would else be noticed at the first job: that a program or a model is not there. Nothing is loaded for it. */
export async function warnOfMissingEngine(engine: { info: { name: string }; check(): Promise<void> }, log: Pick<Logger, 'warn'>): Promise<void> {
  await engine.check().catch((error: unknown) => {
    const why = error instanceof Error ? error.message : String(error);
    log.warn({ engine: engine.info.name, err: error }, `the engine cannot run here yet, and jobs will fail: ${why}`);
  });
}
