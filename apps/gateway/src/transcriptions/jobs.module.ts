import { Module } from '@nestjs/common';
import type { Metrics } from '@parlance/platform';
import { METRICS } from '@parlance/runtime';
import { LanguagesModule } from '../languages/languages.module.js';
import { EGRESS, egress } from './egress.provider.js';
import { JobReader } from './job-reader.js';
import { JobWatcher, measureWatches } from './job-watcher.js';
import { RequestRules } from './request-rules.js';

/** Reads and watches jobs, for all features about them. */
@Module({
  imports: [LanguagesModule],
  providers: [
    egress,
    JobReader,
    {
      provide: JobWatcher,
      useFactory: (metrics: Metrics) => {
        const watcher = new JobWatcher();
        measureWatches(watcher, metrics);
        return watcher;
      },
      inject: [METRICS],
    },
    RequestRules,
  ],
  exports: [EGRESS, JobReader, JobWatcher, RequestRules],
})
export class JobsModule {}
