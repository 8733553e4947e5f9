import { common, ingest } from '@parlance/contracts';
import { describe, expect, it } from '@jest/globals';
import { describeRefusal } from '../http/refusal.js';
import { requireTranscript } from './job-failure.js';

const { JOB_STATUS_CANCELED, JOB_STATUS_FAILED } = common.JobStatus;

function refusalOf(path: string, job: Partial<ingest.Job>) {
  try {
    requireTranscript({ ...ingest.Job.fromPartial({}), ...job });
  } catch (error) {
    return describeRefusal(error, { path, id: 'req_1' });
  }
  throw new Error('not refused');
}

const failed = (code: string, retryable: boolean) => ({ status: JOB_STATUS_FAILED, error: { code, message: 'It failed.', retryable } });

describe('a job that failed', () => {
  it.each([
    ['/v1/audio/transcriptions', 500, 'false', { error: { message: 'It failed.', type: 'server_error', param: null, code: 'engine_rejected' } }],
    ['/compat/deepgram/v1/listen', 422, undefined, { err_code: 'Unprocessable Entity', err_msg: 'It failed.', request_id: 'req_1' }],
    ['/compat/asr/asr', 500, undefined, { detail: 'It failed.' }],
  ])('for good is no reason for the clients of %s to repeat the request', (path, status, shouldRetry, body) => {
    const refusal = refusalOf(path, failed('engine_rejected', false));
    expect([refusal.status, refusal.headers['x-should-retry'], refusal.headers['retry-after'], refusal.body]).toEqual([status, shouldRetry, undefined, body]);
  });

  it.each(['/v1/audio/transcriptions', '/compat/deepgram/v1/listen', '/compat/asr/asr'])('for a temporary reason may be repeated by the clients of %s', (path) => {
    const { status, headers } = refusalOf(path, failed('engine_unavailable', true));
    expect([status, headers['x-should-retry'], headers['retry-after']]).toEqual([503, undefined, '5']);
  });

  it.each([
    ['/v1/audio/transcriptions', 400],
    ['/compat/deepgram/v1/listen', 400],
    ['/compat/asr/asr', 422],
  ])('because of its file is an error of the request of %s', (path, status) => {
    expect(refusalOf(path, failed('media_unsupported', false))).toMatchObject({ status });
  });

  it.each(['quota_exhausted', 'key_budget_exhausted', 'storage_quota_exhausted'])('because of %s has the status that the vendor gives for it', (code) => {
    const openai = refusalOf('/v1/audio/transcriptions', failed(code, false));
    expect([openai.status, openai.headers['x-should-retry'], openai.body]).toEqual([429, 'false', { error: { message: 'It failed.', type: 'insufficient_quota', param: null, code: 'insufficient_quota' } }]);
    expect(refusalOf('/compat/deepgram/v1/listen', failed(code, false))).toMatchObject({ status: 402, body: { err_code: 'ASR_PAYMENT_REQUIRED', err_msg: 'It failed.' } });
    expect(refusalOf('/compat/asr/asr', failed(code, false))).toMatchObject({ status: 402, body: { detail: 'It failed.' } });
  });

  it.each([
    ['language_unsupported', 'language', 400],
    ['model_unknown', 'model', 404],
    ['address_forbidden', 'url', 400],
  ])('because of %s is an error of a part of the request', (code, part, status) => {
    const openaiCode = code === 'model_unknown' ? 'model_not_found' : code;
    expect(refusalOf('/v1/audio/transcriptions', failed(code, false))).toMatchObject({ status, body: { error: { type: 'invalid_request_error', param: part, code: openaiCode } } });
    expect(refusalOf('/compat/deepgram/v1/listen', failed(code, false))).toMatchObject({ status: 400, body: { err_code: 'Bad Request', err_msg: `${part}: It failed.` } });
    expect(refusalOf('/compat/asr/asr', failed(code, false))).toMatchObject({ status: 422, body: { detail: [{ type: code, loc: ['query', part], msg: 'It failed.' }] } });
  });

  it.each([
    ['/v1/audio/transcriptions', 409, 'false'],
    ['/compat/deepgram/v1/listen', 422, undefined],
  ])('is not repeated by the clients of %s when it was canceled', (path, status, shouldRetry) => {
    const { status: answered, headers } = refusalOf(path, { status: JOB_STATUS_CANCELED });
    expect([answered, headers['x-should-retry']]).toEqual([status, shouldRetry]);
  });
});
