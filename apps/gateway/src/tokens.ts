/** Injection tokens of what the module wires. */
export const ACCOUNTS = Symbol('Accounts');
export const API_KEYS = Symbol('ApiKeys');
export const AUTHENTICATOR = Symbol('Authenticator');
export const JOB_CLIENT = Symbol('JobServiceClient');
export const TRANSCRIPT_CLIENT = Symbol('TranscriptServiceClient');
export const WEBHOOK_CLIENT = Symbol('WebhookServiceClient');
export const JOB_READER = Symbol('JobReader');
export const JOB_WATCHER = Symbol('JobWatcher');
export const JOB_ERASURES = Symbol('JobErasures');
export const CREATION = Symbol('Creation');
export const UPLOAD_CREATION = Symbol('UploadCreation');
export const REQUEST_RULES = Symbol('RequestRules');
export const ENGINE_LANGUAGES = Symbol('EngineLanguages');
export const OPEN_STREAMS = Symbol('OpenStreams');
export const PROCESS_HEALTH = Symbol('ProcessHealth');
export const METRICS = Symbol('Metrics');
export const UPKEEP = Symbol('Upkeep');
