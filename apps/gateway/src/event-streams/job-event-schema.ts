import { z } from 'zod';
import { jobId, openEnum, segmentId } from '../http/schema.js';
import { failureSchema, jobStatus, progressSchema, segmentSchema } from '../transcriptions/job-schema.js';

const named = <Name extends string>(name: Name) => ({ event: z.literal(name).meta({ description: 'The name of the event.' }) });

const endedSummaryStatus = z.enum(['completed', 'failed']).meta({ id: 'EndedSummaryStatus', description: 'How a requested summary ended.' });

const status = openEnum(jobStatus).meta({ description: 'The state of the job.' });

/** The data of each event of a job's stream; `event` discriminates it. */
export const jobStreamEvent = z
  .discriminatedUnion('event', [
    z.object({ ...named('status'), job_id: jobId, status }).meta({ id: 'JobStatusEvent', description: 'The state of the job changed.' }),
    z.object({ ...named('progress'), ...progressSchema.shape }).meta({ id: 'JobProgressEvent', description: 'The progress of the job changed.' }),
    z
      .object({
        ...named('transcript.segment'),
        ...segmentSchema.shape,
        segment_ids: z.array(segmentId).optional().meta({ description: 'The segments of the transcript that hold its words. Present once the job has its transcript.' }),
      })
      .meta({ id: 'JobSegmentEvent', description: 'A segment of the transcript, provisional until the transcript is merged.' }),
    z
      .object({
        ...named('summary'),
        job_id: jobId,
        summary_id: z.string().meta({ description: 'The summary.', example: 'sum_01k9z3v4n8' }),
        status: openEnum(endedSummaryStatus).meta({ description: 'How it ended.' }),
        error: failureSchema.optional().meta({ description: 'The reason, when there is no summary.' }),
      })
      .meta({ id: 'JobSummaryEvent', description: 'A summary that was requested later has ended.' }),
    z
      .object({ ...named('done'), job_id: jobId, status, error: failureSchema.optional().meta({ description: 'The reason, when the job failed.' }) })
      .meta({ id: 'JobDoneEvent', description: 'The job is over, and the stream ends.' }),
  ])
  .meta({ id: 'JobStreamEvent', description: 'The `data` of an event of a job’s stream; `event` says which one it is.' });
