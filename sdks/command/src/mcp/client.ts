export { ApiError, ConnectionError, JobFailedError, ParlanceError, TimeoutError, UnexpectedResponseError, type NewTranscription, type Parlance, type Query, type Schemas, type Transcription, type TranscriptionSummary } from '@parlance/client';
export { fromPath } from '@parlance/client/node';
