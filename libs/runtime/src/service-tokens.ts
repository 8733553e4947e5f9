/** Injection tokens of what the root gives to a service. These are interfaces or types, which have no value at run time. */
export const SERVICE_CONTEXT = Symbol('ServiceContext');
/** The settings of the service, `ConfigOf<typeof …Config>`. */
export const CONFIG = Symbol('Config');
export const LOGGER = Symbol('Logger');
export const METRICS = Symbol('Metrics');
export const CLOCK = Symbol('Clock');
export const ID_GENERATOR = Symbol('IdGenerator');
/** The `DocumentDatabase` of the service. */
export const DOCUMENTS = Symbol('DocumentDatabase');
/** The `DataKeys` of the process; null where encryption at rest is off. */
export const DATA_KEYS = Symbol('DataKeys');
export const MEDIA_STORE = Symbol('MediaStore');
export const EVENT_BUS = Symbol('EventBus');
export const TASK_QUEUE = Symbol('TaskQueue');

/** Injection tokens of the other services' ports; a module lists those that it calls with `servicePort`. */
export const JOB_SERVICE = Symbol('JobService');
export const TRANSCRIPT_SERVICE = Symbol('TranscriptService');
/** Transcription's `LiveService`. */
export const LIVE_SERVICE = Symbol('LiveService');
/** Ingest's `LiveMediaService`. */
export const LIVE_MEDIA_SERVICE = Symbol('LiveMediaService');
export const SUMMARY_SERVICE = Symbol('SummaryService');
export const SEARCH_SERVICE = Symbol('SearchService');
export const WEBHOOK_SERVICE = Symbol('WebhookService');
/** Ingest's `AccountWorkService`. */
export const ACCOUNT_WORK_SERVICE = Symbol('AccountWorkService');
/** The `AccountDataService` of search, and that of webhook-dispatcher. */
export const SEARCH_DATA_SERVICE = Symbol('SearchDataService');
export const WEBHOOK_DATA_SERVICE = Symbol('WebhookDataService');
/** The gateway's `AccountService`. */
export const ACCOUNT_SERVICE = Symbol('AccountService');
