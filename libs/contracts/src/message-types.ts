import { HealthDefinition } from './generated/grpc/health/v1/health.js';
import { DiarizationServiceDefinition } from './generated/parlance/diarization/v1/diarization_service.js';
import { AccountServiceDefinition } from './generated/parlance/gateway/v1/account_service.js';
import { JobServiceDefinition } from './generated/parlance/ingest/v1/job_service.js';
import { SearchServiceDefinition } from './generated/parlance/search/v1/search_service.js';
import { SummaryServiceDefinition } from './generated/parlance/summary/v1/summary_service.js';
import { TranscriptServiceDefinition } from './generated/parlance/transcription/v1/transcript_service.js';
import { WebhookServiceDefinition } from './generated/parlance/webhook/v1/webhook_service.js';

/** Makes a message of any object that is like one: a copy of its own, with protobuf's defaults for what is left out. Dates and bytes are those of the object. */
export type MessageMaker = (like: unknown) => unknown;

export interface MethodMessages {
  request: MessageMaker;
  response: MessageMaker;
}

interface MessageType {
  fromPartial(object: never): unknown;
}

interface GenericService {
  fullName: string;
  methods: Readonly<Record<string, { name: string; requestType: MessageType; responseType: MessageType }>>;
}

const SERVICES: readonly GenericService[] = [
  AccountServiceDefinition,
  DiarizationServiceDefinition,
  HealthDefinition,
  JobServiceDefinition,
  SearchServiceDefinition,
  SummaryServiceDefinition,
  TranscriptServiceDefinition,
  WebhookServiceDefinition,
];

const maker =
  (type: MessageType): MessageMaker =>
  (like) =>
    type.fromPartial(like as never);

const messages = new Map(
  SERVICES.flatMap(({ fullName, methods }) =>
    Object.values(methods).map(({ name, requestType, responseType }): [string, MethodMessages] => [
      `/${fullName}/${name}`,
      { request: maker(requestType), response: maker(responseType) },
    ]),
  ),
);

/** @param path of a method, as gRPC sends it: `/parlance.ingest.v1.JobService/GetJob` */
export const messagesOf = (path: string): MethodMessages | undefined => messages.get(path);
