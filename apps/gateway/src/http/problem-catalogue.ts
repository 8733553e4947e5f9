export interface ProblemEntry {
  /** Where it is not the one that the kind of the error has. */
  status?: number;
  title: string;
  /** What it means and what to do, for the page behind `type`. */
  explanation: string;
}

const entry = (title: string, explanation: string, status?: number): ProblemEntry => ({ title, explanation, ...(status !== undefined && { status }) });

/** Every code a problem document can have; the page of each is `/problems/<code>`. */
export const PROBLEMS = {
  malformed_json: entry('The body is not JSON', 'The request body could not be read as JSON in UTF-8.', 400),
  malformed_request: entry('The request is malformed', 'The request line, a header or the form could not be read.', 400),
  unauthenticated: entry('A valid API key is needed', 'Send `Authorization: Bearer <API_KEY>` or `X-API-Key: <API_KEY>`. The key is missing, mistyped, expired or revoked.', 401),
  quota_exhausted: entry('The free minutes are used', 'The account has used the minutes that its plan gives for nothing, and its plan does not let it pay for more. `GET /api/v1/account` tells what is left; ask the operator for another plan.', 402),
  insufficient_scope: entry('The key lacks a scope', 'The key is valid but was not given the scope this call needs. Use a key that has it.', 403),
  signup_closed: entry('Signing up is closed', 'Accounts are made by the operator of this service alone. Ask them for one.', 403),
  account_disabled: entry('The account is disabled', 'Whoever operates this service has disabled the account of this key. Its jobs go on; ask the operator.', 403),
  not_found: entry('Not found', 'Nothing is there, or it belongs to another account, or it was erased.', 404),
  method_not_allowed: entry('The method is not allowed here', 'The `Allow` header lists the methods of this path.', 405),
  not_acceptable: entry('No such representation', 'The resource cannot be given in any media type of the `Accept` header.', 406),
  request_timeout: entry('The request took too long', 'The body did not arrive in time.', 408),
  idempotency_in_flight: entry('The first call is still running', 'A call with the same Idempotency-Key has not finished. Wait a moment and repeat the same call.', 409),
  invalid_state: entry('The state does not allow it', 'The resource is not in a state in which this can be done.', 409),
  last_key: entry('The last key that can make keys', 'Without it nobody could make keys for the account any more but the operator. Make another with the scope `keys` first, or repeat with `?allow_lockout=true`.', 409),
  too_many_endpoints: entry('The account has as many endpoints as it may', 'An account has at most 20 webhook endpoints. Delete one that is not needed any more, or let one receive several event types.', 409),
  payload_too_large: entry('The body is too large', 'A JSON body may have 1 MB, or what the operator of this server has set.', 413),
  media_too_large: entry('The file is too large', 'The file is larger than this server takes.', 413),
  uri_too_long: entry('The address is too long', 'A path segment or the whole address is longer than the server takes.', 414),
  unsupported_media_type: entry('The media type is not supported', 'Send `application/json`, or `multipart/form-data` where a file can be uploaded.', 415),
  head_too_large: entry('The head of the request is too large', 'The request line and the headers together may have 128 kB.', 431),
  invalid_request: entry('The request is not valid', '`errors` lists every wrong place: a JSON pointer into the body, or `?name` for a query parameter.'),
  unknown_field: entry('A field is not known', 'A field or query parameter that this version of the API does not have: most likely a typing error.'),
  invalid_url: entry('The URL cannot be used', 'URLs must be http or https, without user name and password, of at most 2,048 characters.'),
  address_forbidden: entry('The address is not public', 'The URL leads to a private, local or otherwise special address, which this server does not contact unless its operator allows it.'),
  language_unsupported: entry('The language is not supported', 'The speech engine that runs here does not take this language; `GET /api/v1/languages` lists those it takes.'),
  not_supported: entry('Not supported by this server', 'The field is part of the API but this version of the server cannot honour it, and does not pretend to.'),
  code_invalid: entry('The code is not valid', 'The code from the e-mail is wrong, was used, has expired, or was mistyped too often. Sign up again for a new one.'),
  idempotency_mismatch: entry('The Idempotency-Key was used for another request', 'The same key came with a different body within 24 hours. Use a new key for a new request.'),
  invalid_cursor: entry('The cursor is not valid', 'Use `next_cursor` of the page before, unchanged and with the same filters.'),
  rate_limited: entry('Too many requests', 'The key, its account or the address has made more requests than its limit. Wait as long as `Retry-After` says; the `RateLimit` header of every answer to a valid key tells what is left.', 429),
  too_many_jobs: entry('Too many jobs at once', 'As many jobs of the account as it may have are queued or processing. Wait until one has ended, and send the same request again; its Idempotency-Key is still free.', 429),
  internal: entry('An internal error occurred', 'The fault is the server’s. Repeat the call later; tell the operator the request id if it stays.', 500),
  service_unavailable: entry('The service is not available now', 'A part of the service does not answer. Repeat the call after `Retry-After`.', 503),
  engine_refused: entry('The language model refused', 'The language model, or a filter before it, does not answer this. Ask otherwise; the same question again would be refused again.', 422),
  storage_full: entry('The storage is full', 'The server has no room left. Its operator has to make some.', 503),
} as const satisfies Record<string, ProblemEntry>;

export type ProblemCode = keyof typeof PROBLEMS;

export const isProblemCode = (code: string): code is ProblemCode => Object.hasOwn(PROBLEMS, code);
export const problemEntry = (code: string): ProblemEntry | undefined => (isProblemCode(code) ? PROBLEMS[code] : undefined);
