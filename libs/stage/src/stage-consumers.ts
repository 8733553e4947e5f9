import { topicOf, type common, type EventType, type Topic } from '@parlance/contracts';
import type { Consumer, Delivery, OutboxEvent } from '@parlance/event-bus';
import { currentTraceparent } from '@parlance/platform';
import type { NewTask, TaskQueue } from '@parlance/task-queue';
import { addOrReplay } from './add-or-replay.js';
import type { JobEnds } from './job-ends.js';
import type { StageLedger } from './stage-ledger.js';
import { isBackground, taskGroup, type JobRun, type StageDefinition, type StartsOn } from './stage.js';

interface StageConsumersParts<Facts extends object> {
  /** The group of the consumers. */
  group: string;
  stages: readonly StageDefinition<Facts>[];
  ledger: StageLedger<Facts>;
  ends: JobEnds;
  tasks: TaskQueue;
  /** Handlers of the service's other events, on the same topics or others. */
  handlers?: Consumer['handlers'];
  /** Milliseconds that one of those may take. */
  deadlineMs?: number;
}

type Handlers = Map<EventType, (delivery: Delivery) => Promise<void>>;

/** Turns events into tasks of the stages, and the end of a job into the end of its tasks. One consumer a topic. */
export function stageConsumers<Facts extends object>(parts: StageConsumersParts<Facts>): Consumer[] {
  const { group, stages, ends, deadlineMs } = parts;
  const handlers = {
    ...parts.handlers,
    ...startHandlers(parts, new Set(stages.flatMap(({ startsOn }) => Object.keys(startsOn) as EventType[]))),
    ...ends.handlers(),
  };
  const topics = byTopic(new Map(Object.entries(handlers)) as Handlers);
  return [...topics].map(([topic, ofTopic]) => ({ group, topic, handlers: ofTopic, ...(deadlineMs !== undefined && { deadlineMs }) }));
}

function startHandlers<Facts extends object>(parts: StageConsumersParts<Facts>, types: ReadonlySet<EventType>): Consumer['handlers'] {
  const startAll = async ({ event }: Delivery) => {
    for (const stage of parts.stages) await start(parts, stage, event as OutboxEvent);
  };
  return Object.fromEntries([...types].map((type) => [type, startAll]));
}

async function start<Facts extends object>({ ledger, tasks }: StageConsumersParts<Facts>, stage: StageDefinition<Facts>, event: OutboxEvent): Promise<void> {
  const isRequest = event.type === 'stage.requested';
  if (isRequest && event.data.stage !== stage.stage) return;
  const startOn = stage.startsOn[event.type] as ((data: unknown) => ReturnType<NonNullable<StartsOn<object>['stage.requested']>>) | undefined;
  const run = await startOn?.(event.data);
  if (!run || (isRequest && (await ledger.reportAgain(stage, run)))) return;
  const { options } = event.data as { options?: common.JobOptions };
  const task = { ...taskOf(stage, run, currentTraceparent() ?? event.traceparent), isBackground: isBackground(options) };
  await (isRequest ? addOrReplay(tasks, stage.name, task) : tasks.add(stage.name, [task]));
}

/** Adding it twice does nothing: a run of a job has one task. */
const taskOf = <Facts extends object>(stage: StageDefinition<Facts>, run: JobRun, traceparent: string | undefined): NewTask<JobRun> => ({
  id: taskGroup(run),
  accountId: run.accountId,
  group: taskGroup(run),
  key: run.jobId,
  payload: run,
  ...(stage.audioSeconds && { audioSeconds: stage.audioSeconds(run) }),
  ...(traceparent !== undefined && { traceparent }),
});

function byTopic(handlers: Handlers): Map<Topic, Consumer['handlers']> {
  const topics = new Map<Topic, Consumer['handlers']>();
  for (const [type, handler] of handlers) topics.set(topicOf(type), { ...topics.get(topicOf(type)), [type]: handler });
  return topics;
}
