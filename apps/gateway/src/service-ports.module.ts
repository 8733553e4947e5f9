import { Global, Module } from '@nestjs/common';
import { accountData, accountWork, ingest, live, liveMedia, search, summary, transcription, webhook } from '@parlance/contracts';
import { ACCOUNT_WORK_SERVICE, JOB_SERVICE, LIVE_MEDIA_SERVICE, LIVE_SERVICE, SEARCH_DATA_SERVICE, SEARCH_SERVICE, servicePort, SUMMARY_SERVICE, TRANSCRIPT_SERVICE, WEBHOOK_DATA_SERVICE, WEBHOOK_SERVICE } from '@parlance/runtime';

/** The ports of the services behind the gateway, for all its features. */
@Global()
@Module({
  providers: [
    servicePort(ACCOUNT_WORK_SERVICE, 'ingest', accountWork.AccountWorkServiceDefinition),
    servicePort(SEARCH_DATA_SERVICE, 'search', accountData.AccountDataServiceDefinition),
    servicePort(WEBHOOK_DATA_SERVICE, 'webhook-dispatcher', accountData.AccountDataServiceDefinition),
    servicePort(JOB_SERVICE, 'ingest', ingest.JobServiceDefinition),
    servicePort(LIVE_MEDIA_SERVICE, 'ingest', liveMedia.LiveMediaServiceDefinition),
    servicePort(TRANSCRIPT_SERVICE, 'transcription', transcription.TranscriptServiceDefinition),
    servicePort(LIVE_SERVICE, 'transcription', live.LiveServiceDefinition),
    servicePort(SUMMARY_SERVICE, 'summary', summary.SummaryServiceDefinition),
    servicePort(SEARCH_SERVICE, 'search', search.SearchServiceDefinition),
    servicePort(WEBHOOK_SERVICE, 'webhook-dispatcher', webhook.WebhookServiceDefinition),
  ],
  exports: [ACCOUNT_WORK_SERVICE, SEARCH_DATA_SERVICE, WEBHOOK_DATA_SERVICE, JOB_SERVICE, LIVE_MEDIA_SERVICE, TRANSCRIPT_SERVICE, LIVE_SERVICE, SUMMARY_SERVICE, SEARCH_SERVICE, WEBHOOK_SERVICE],
})
export class ServicePortsModule {}
