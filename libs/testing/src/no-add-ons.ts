/** Fields of an upload whose add-ons a test does not look at: a job without them costs two thirds of the processor time. */
export const NO_ADD_ONS = { diarization: 'false', summary: 'false', highlights: 'false' } as const;
