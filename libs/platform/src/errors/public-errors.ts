import type { ErrorEntry } from './error-entry.js';

/** Codes of the public contract: what a request can be refused with (`problem`) and what a job can have failed with (`failure`). */
export const PUBLIC_ERRORS = {
  malformed_json: {
    kind: 'invalid', status: 400,
    problem: { title: 'The body is not JSON', text: 'The request body could not be read as JSON in UTF-8.' },
  },
  malformed_request: {
    kind: 'invalid', status: 400,
    problem: { title: 'The request is malformed', text: 'The request line, a header or the form could not be read.' },
  },
  unauthenticated: {
    kind: 'unauthenticated',
    problem: { title: 'A valid API key is required', text: 'Send `Authorization: Bearer <API_KEY>` or `X-API-Key: <API_KEY>`. The key is missing, mistyped, expired or revoked.' },
  },
  quota_exhausted: {
    kind: 'payment_required',
    problem: { title: 'The free minutes are used up', text: 'The account has used the free minutes of its plan, and the plan does not allow paid use. `GET /api/v1/account` returns what is left; ask the operator for another plan.' },
    failure: { reportedBy: ['intake'], text: 'The recording is longer than the free minutes that the account has left.' },
  },
  key_budget_exhausted: {
    kind: 'payment_required',
    problem: { title: 'The budget of the key is used up', text: 'The jobs of this key have used its `monthly_seconds`. `GET /api/v1/keys` returns what was used; a key with the scope `keys` can change the budget. The next month (UTC) begins with nothing used.' },
    failure: { reportedBy: ['intake'], text: 'The recording is longer than what the key had left of its monthly budget.' },
  },
  storage_quota_exhausted: {
    kind: 'payment_required',
    problem: { title: 'The storage quota of the account is exhausted', text: 'The media files of the account take up all bytes that its plan allows. `GET /api/v1/account` returns how many. Delete transcriptions that you no longer need, set `media_retention_hours` for new jobs, or ask the operator for another plan.' },
    failure: { reportedBy: ['intake'], text: 'With this file, the stored media of the account would exceed what its plan allows.' },
  },
  insufficient_scope: {
    kind: 'forbidden',
    problem: { title: 'The key lacks a scope', text: 'The key is valid but does not have the scope that this call requires. Use a key that has it.' },
  },
  signup_closed: {
    kind: 'forbidden',
    problem: { title: 'Sign-up is closed', text: 'Only the operator of this service creates accounts. Ask the operator for one.' },
  },
  account_disabled: {
    kind: 'forbidden',
    problem: { title: 'The account is disabled', text: 'The operator of this service has disabled the account of this key. Its jobs continue; ask the operator.' },
  },
  account_deletion_scheduled: {
    kind: 'conflict', retryable: false,
    problem: { title: 'The account is to be deleted', text: 'The deletion of the account was requested (`deletion` of `GET /api/v1/account`). Until then it can be read, exported and cleared, and new work is refused. `restoreAccount` withdraws the deletion.' },
  },
  legal_hold: {
    kind: 'conflict', retryable: false,
    problem: { title: 'A legal hold prevents the deletion', text: 'The job, or the account with all of its jobs, is under a legal hold: nothing of it is erased until the hold ends or is lifted. Only the operator lifts a hold that the operator set.' },
  },
  not_found: {
    kind: 'not_found',
    problem: { title: 'Not found', text: 'The resource does not exist, belongs to another account, or was erased.' },
  },
  method_not_allowed: {
    kind: 'invalid', status: 405,
    problem: { title: 'The method is not allowed here', text: 'The `Allow` header lists the methods of this path.' },
  },
  not_acceptable: {
    kind: 'invalid', status: 406,
    problem: { title: 'No acceptable representation', text: 'The resource is not available in any media type of the `Accept` header.' },
  },
  request_timeout: {
    kind: 'invalid', status: 408, retryable: true,
    problem: { title: 'The request took too long', text: 'The body did not arrive within the time limit.' },
  },
  idempotency_in_flight: {
    kind: 'conflict', retryable: true,
    problem: { title: 'The first call is still running', text: 'An earlier call with the same Idempotency-Key has not finished. Wait a moment and repeat the call.' },
  },
  invalid_state: {
    kind: 'conflict',
    problem: { title: 'The state does not allow this operation', text: 'The resource is not in a state in which this operation is possible. `reason` says why, for programs; `detail` says it for people.' },
  },
  media_removed: {
    kind: 'conflict',
    problem: { title: 'The media of the job was removed', text: 'The failed work cannot be retried, or speakers be detected, because the media of the job was removed: at once when only another file could succeed, one day after any other failure, or when its `media_retention_hours` were over. Submit the recording again as a new job.' },
  },
  sealed: {
    kind: 'conflict', retryable: false,
    problem: { title: 'The job is sealed', text: 'The job has a `result_key`: this server does not give its text or recording in clear, and erases both once the results are sealed. `getSealedResult` returns them for the holder of the private key. What needs the text, such as search, chat, edits, names of speakers and further summaries, is not possible.' },
  },
  media_gone: {
    kind: 'not_found', status: 410,
    problem: { title: 'The media of the job was erased', text: 'The recording was erased when its `media_retention_hours` were over, or because it could not be transcribed. The transcript stays.' },
  },
  range_not_satisfiable: {
    kind: 'invalid', status: 416,
    problem: { title: 'The range is outside of the file', text: '`Range` begins behind the end of the file. `Content-Range` has its size in bytes.' },
  },
  precondition_failed: {
    kind: 'conflict', status: 412,
    problem: { title: 'The resource was changed meanwhile', text: 'The ETag in `If-Match` is not that of the current state: another caller changed the resource after it was read. Read it again, and repeat the change on what you find.' },
  },
  last_key: {
    kind: 'conflict',
    problem: { title: 'This is the last key that can give a scope', text: 'A key with the scope `keys` can give its own scopes to new keys. Without this key, no other key could give one of its scopes. First create another key with the same scopes, or repeat the call with `?allow_lockout=true`.' },
  },
  mailbox_taken: {
    kind: 'conflict',
    problem: { title: 'The mailbox already has an account', text: 'An account exists for another spelling of this e-mail address, such as one without the `+tag`. Sign up with that spelling to get a key for it.' },
  },
  too_many_endpoints: {
    kind: 'conflict',
    problem: { title: 'The account has the maximum number of endpoints', text: 'An account can have at most 20 webhook endpoints. Delete one that is no longer needed, or let one endpoint receive several event types.' },
  },
  too_many_origins: {
    kind: 'conflict',
    problem: { title: 'The account has the maximum number of webhook secrets', text: 'An account can have its own webhook secrets for at most 10,000 origins of callback URLs. Use endpoints, each of which has its own secret.' },
  },
  payload_too_large: {
    kind: 'too_large',
    problem: { title: 'The body is too large', text: 'A JSON body may have up to 1 MB, or the limit that the operator of this server has set; without a key, up to 4 kB.' },
  },
  media_too_large: {
    kind: 'too_large',
    problem: { title: 'The file is too large', text: 'The file is larger than this server accepts.' },
    failure: { reportedBy: ['media'], text: 'The file is larger than this server accepts.' },
  },
  upload_not_found: {
    kind: 'invalid',
    problem: { title: 'There is no such upload', text: 'The upload of `upload_id` does not exist, belongs to another account, was deleted, or expired unused. Upload the file again.' },
  },
  upload_incomplete: {
    kind: 'conflict', retryable: true,
    problem: { title: 'The upload is not complete', text: 'Bytes of the file are still missing. `GET /api/v1/uploads/{upload_id}` returns how many have arrived; send the rest, then repeat the call.' },
  },
  upload_offset_mismatch: {
    kind: 'conflict', retryable: true,
    problem: { title: 'The offset is another one', text: '`Upload-Offset` must be the number of bytes that the server has. `HEAD /api/v1/uploads/{upload_id}` returns it; continue from there.' },
  },
  too_many_uploads: {
    kind: 'conflict',
    problem: { title: 'The account has the maximum number of unfinished uploads', text: 'An account can have at most 1,000 uploads that are not complete. Complete or delete some; those to which nothing is sent expire.' },
  },
  too_many_vocabularies: {
    kind: 'conflict',
    problem: { title: 'The account has the maximum number of vocabularies', text: 'An account can have at most 100 vocabularies. Delete one.' },
  },
  project_in_use: {
    kind: 'conflict',
    problem: { title: 'The project is in use', text: 'The project has jobs, or keys are bound to it. Delete its jobs and revoke its keys first.' },
  },
  protocol_version: {
    kind: 'invalid', status: 412,
    problem: { title: 'The version of the protocol is not supported', text: 'The server supports version 1.0.0 of the tus protocol for resumable uploads. Send `Tus-Resumable: 1.0.0`.' },
  },
  checksum_mismatch: {
    kind: 'invalid', status: 460,
    problem: { title: 'The checksum does not match', text: 'The bytes of this request have another checksum than `Upload-Checksum` states. They were discarded; send them again.' },
  },
  digest_mismatch: {
    kind: 'invalid',
    problem: { title: 'The digest does not match', text: 'The bytes that arrived have another digest than the one that the request stated, and were discarded. If the digest is that of the file, the bytes were damaged on the way: send them again.' },
  },
  uri_too_long: {
    kind: 'invalid', status: 414,
    problem: { title: 'The address is too long', text: 'A path segment or the whole address is longer than the server accepts.' },
  },
  unsupported_media_type: {
    kind: 'unsupported_media',
    problem: { title: 'The media type is not supported', text: 'Send `application/json`, or `multipart/form-data` where a file can be uploaded.' },
  },
  head_too_large: {
    kind: 'invalid', status: 431,
    problem: { title: 'The request head is too large', text: 'The header fields together may have up to 16 kB, and up to 128 kB with the request line.' },
  },
  invalid_request: {
    kind: 'invalid',
    problem: { title: 'The request is not valid', text: '`errors` lists every invalid place: a JSON pointer into the body, or `?name` for a query parameter.' },
  },
  unknown_field: {
    kind: 'invalid',
    problem: { title: 'A field is unknown', text: 'The request contains a field or query parameter that this version of the API does not have. It is most likely a typing error.' },
  },
  invalid_url: {
    kind: 'invalid',
    problem: { title: 'The URL is not usable', text: 'A URL must be http or https, contain no user name or password, and have at most 2,048 characters.' },
  },
  address_forbidden: {
    kind: 'invalid',
    problem: { title: 'The address is not public', text: 'The URL leads to a private, local or otherwise special address. This server does not contact such addresses unless its operator allows it.' },
    failure: { reportedBy: ['intake'], text: 'The address, or an address that it redirects or resolves to, is not public.' },
  },
  language_unsupported: {
    kind: 'invalid',
    problem: { title: 'The language is not supported', text: 'The speech engine of this server does not support this language. `GET /api/v1/languages` lists the languages that it supports.' },
    failure: { reportedBy: ['stage'], text: 'The engine does not support the language of the job.' },
  },
  language_uncertain: {
    kind: 'invalid',
    retryable: false,
    failure: { reportedBy: ['stage'], text: 'No language of `language.expected` was detected with enough confidence in most of the recording, and there is no fallback. Nothing is billed. Submit it again with the language, or with `language.fallback`.' },
  },
  model_unknown: {
    kind: 'invalid', otherKinds: ['not_found'],
    problem: { title: 'There is no such model', text: 'This server has no speech engine of this name. `GET /api/v1/models` lists the names.' },
    failure: { reportedBy: ['intake'], text: 'The speech engine of the job is no longer configured on this server. Submit the recording again with another `model`.' },
  },
  result_key_unsupported: {
    kind: 'invalid',
    problem: { title: 'The key cannot seal results', text: '`result_key` must be a public JSON Web Key (RFC 7517): `OKP` with the curve X25519, `EC` with P-256, or `RSA` with 2,048 to 8,192 bits. `alg` and `use`, when given, must be `ECDH-ES+A256KW`, or `RSA-OAEP-256` for RSA, and `enc`. A key with private members is refused: keep it to yourself, and send its public part.' },
  },
  translation_unsupported: {
    kind: 'invalid',
    problem: { title: 'This server does not translate', text: 'Translations are made by a language model, and this server has none that translates into this language. Its operator can set `LANGUAGE_MODEL_URL`.' },
  },
  not_supported: {
    kind: 'invalid',
    problem: { title: 'Not supported by this server', text: 'The field is part of the API, but this version of the server does not support it.' },
  },
  code_invalid: {
    kind: 'invalid',
    problem: { title: 'The code is not valid', text: 'The code from the e-mail is wrong, was used, has expired, or was entered wrongly too often. Sign up again to get a new code.' },
  },
  idempotency_mismatch: {
    kind: 'invalid',
    problem: { title: 'The Idempotency-Key was used for another request', text: 'The same key was sent with a different body within 24 hours. Use a new key for a new request.' },
  },
  invalid_cursor: {
    kind: 'invalid',
    problem: { title: 'The cursor is not valid', text: 'Use `next_cursor` of the previous page, unchanged and with the same filters.' },
  },
  rate_limited: {
    kind: 'rate_limited',
    problem: { title: 'Too many requests', text: 'The key, its account or the address has exceeded its request limit. Wait for the time in `Retry-After`; the `RateLimit` header of every response to a valid key returns what is left.' },
  },
  too_many_jobs: {
    kind: 'rate_limited',
    problem: { title: 'Too many jobs at once', text: 'The account has the maximum number of jobs that are queued or processing. Wait until one has ended, and send the same request again; its Idempotency-Key is still unused.' },
  },
  too_many_streams: {
    kind: 'rate_limited',
    problem: { title: 'Too many open streams', text: 'The key or its account has the maximum number of event streams, chat answers and long polls open. Close one, or wait until one has ended, and send the same request again.' },
  },
  internal: {
    kind: 'internal', otherKinds: ['unavailable'],
    problem: { title: 'An internal error occurred', text: 'The server failed to handle the request. Repeat the call later; if the error persists, send the request id to the operator.' },
    failure: { reportedBy: ['intake'], text: 'The server failed. Its log has the reason, by the id of the job.' },
  },
  service_unavailable: {
    kind: 'unavailable', otherKinds: ['timeout', 'rate_limited'], isOutage: true,
    problem: { title: 'The service is temporarily unavailable', text: 'A part of the service does not respond. Repeat the call after the time in `Retry-After`.' },
  },
  engine_refused: {
    kind: 'unavailable', status: 422, retryable: false,
    problem: { title: 'The language model refused', text: 'The language model, or a filter in front of it, refused to answer. Rephrase the question; the same question would be refused again.' },
    failure: { reportedBy: ['stage'], text: 'The language model, or a filter in front of it, refused to answer.' },
  },
  storage_full: {
    kind: 'unavailable', isOutage: true,
    problem: { title: 'The storage is full', text: 'The server has no storage left. Its operator has to free or add some.' },
    failure: { reportedBy: ['intake', 'stage'], text: 'The server has no storage left. Its operator has to free or add some.' },
  },
  media_unreachable: {
    kind: 'unavailable',
    failure: { reportedBy: ['media'], text: 'The media server cannot be reached. It cannot be found, does not respond, repeatedly closes the connection, or redirects without a target. Open the address yourself without being logged in.' },
  },
  media_unauthorized: {
    kind: 'forbidden',
    failure: { reportedBy: ['media'], text: 'The media server refused the request with its `audio_headers` (401 or 403). Or the server has another `SECRETS_KEY` than when they were sealed. Submit the recording again with valid headers.' },
  },
  media_timeout: {
    kind: 'timeout',
    failure: { reportedBy: ['media'], text: 'The download broke off, or the download or decoding took too long. The media server stopped sending in the middle of its response, or the work took longer than is allowed.' },
  },
  media_too_long: {
    kind: 'too_large',
    failure: { reportedBy: ['media'], text: 'The recording is longer than this server accepts. The file states it, or it was found while decoding. Split it into parts.' },
  },
  media_empty: {
    kind: 'unsupported_media', status: 422,
    problem: { title: 'The file is empty', text: 'The uploaded file has no bytes.' },
    failure: { reportedBy: ['media'], text: 'The file has no bytes, or no audio samples.' },
  },
  media_unsupported: {
    kind: 'unsupported_media',
    failure: { reportedBy: ['media'], text: 'The file is not audio or video that can be read. It is a web page, a playlist, an archive, text or an armored age file, or decoding it takes more work than is allowed.' },
  },
  media_corrupt: {
    kind: 'unsupported_media',
    failure: { reportedBy: ['media'], text: 'The file is audio or video, but so damaged or truncated that nothing can be decoded.' },
  },
  media_no_audio: {
    kind: 'unsupported_media',
    failure: { reportedBy: ['media'], text: 'The file has video but no audio.' },
  },
  media_implausible: {
    kind: 'unsupported_media',
    failure: { reportedBy: ['media'], text: 'The file states, or decodes to, far more audio than its size can contain. Or it has a sample rate or number of channels that no recording has.' },
  },
  media_too_many_channels: {
    kind: 'unsupported_media',
    failure: { reportedBy: ['media'], text: 'The recording has more channels than can be transcribed apart. Submit it again with `channels: mix`, or with fewer channels.' },
  },
  media_sealed: {
    kind: 'conflict', retryable: false,
    problem: { title: 'The recording is encrypted', text: 'The client encrypted the recording for this server’s decoders, and it is kept so: no clip or waveform of it is made. `getMedia` returns the encrypted file.' },
    failure: { reportedBy: ['media'], text: 'No redacted copy is made of an encrypted recording.' },
  },
  media_sealed_key_unknown: {
    kind: 'unsupported_media',
    failure: { reportedBy: ['media'], text: 'The file is encrypted to no key of this server. It may be encrypted to a key of another server, to a passphrase, or to a key that was destroyed. Use the first key of `listMediaKeys`.' },
  },
  media_sealed_key_retired: {
    kind: 'unsupported_media',
    failure: { reportedBy: ['media'], text: 'The file is encrypted to an ended key. The key had ended when the job was created; use the first key of `listMediaKeys`.' },
  },
  media_sealed_corrupt: {
    kind: 'unsupported_media',
    failure: { reportedBy: ['media'], text: 'The encrypted file is damaged or truncated.' },
  },
  engine_failed: {
    kind: 'unavailable',
    failure: { reportedBy: ['intake', 'stage'], text: 'The engine failed in every attempt. The message gives the position in the recording.' },
  },
  engine_timeout: {
    kind: 'timeout',
    failure: { reportedBy: ['intake', 'stage'], text: 'The engine took too long in every attempt.' },
  },
  engine_rate_limited: {
    kind: 'rate_limited', otherKinds: ['unavailable'],
    failure: { reportedBy: ['stage'], text: 'The engine’s server is overloaded, or limits the rate of requests.' },
  },
  stage_timeout: {
    kind: 'timeout',
    failure: { reportedBy: [], text: 'An add-on stage sent no event within its time limit.' },
  },
  transcript_empty: {
    kind: 'conflict',
    failure: { reportedBy: [], text: 'The recording contains no speech, so the stage has nothing to do.' },
  },
  content_erased: {
    kind: 'not_found', retryable: false,
    failure: { reportedBy: [], text: 'The content was gone before it was sealed.' },
  },
  canceled: {
    kind: 'canceled',
    failure: { reportedBy: [], text: 'The job was canceled.' },
  },
} as const satisfies Record<string, ErrorEntry>;
