/**
 * Calls that change nothing, by service: tried again when a server cannot be reached. All others may have been carried out
 * although their answer was lost, and are left to the caller. (What no server has seen yet, gRPC sends again by itself.)
 */
export const IDEMPOTENT_READS: Readonly<Record<string, readonly string[]>> = {
  'parlance.ingest.v1.JobService': ['GetJob', 'ListJobs', 'GetErasure'],
  'parlance.transcription.v1.TranscriptService': ['GetTranscript', 'ListChunkSegments', 'RenderTranscript', 'GetEngine', 'ListSpeakers'],
  'parlance.diarization.v1.DiarizationService': ['GetEngine'],
  'parlance.summary.v1.SummaryService': ['GetEngine', 'GetSummary', 'ListSummaries', 'GetHighlights'],
  'parlance.search.v1.SearchService': ['GetEngine', 'Search', 'GetConversation'],
  'parlance.webhook.v1.WebhookService': ['ListDeliveries', 'GetDelivery', 'GetSecret', 'GetEndpoint', 'ListEndpoints', 'ListEvents'],
  'grpc.health.v1.Health': ['Check'],
};
