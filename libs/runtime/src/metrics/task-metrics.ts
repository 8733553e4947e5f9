import { asyncGauge, type Metrics } from '@parlance/platform';
import type { Backlog, Task, TaskObserver, TaskOutcome, TaskQueue } from '@parlance/task-queue';
import { Counter, Histogram, type Gauge } from 'prom-client';

const DURATIONS = [0.05, 0.1, 0.5, 1, 5, 15, 60, 300, 1800, 3600];

/** The label of each outcome of a try. */
const OUTCOME_LABELS: Record<TaskOutcome, string> = {
  completed: 'completed',
  'put back': 'put_back',
  retried: 'retried',
  dead: 'dead',
  interrupted: 'interrupted',
  'lease lost': 'lease_lost',
};

/** Metrics of this process's workers, and of the work that waits for the workers of all processes. */
export class TaskMetrics implements TaskObserver {
  private readonly watched = new Map<string, TaskQueue>();
  private readonly seconds: Histogram<'queue'>;
  private readonly outcomes: Counter<'queue' | 'outcome'>;
  private readonly outages: Counter<'queue' | 'code'>;
  private readonly takenOverTasks: Counter<'queue'>;

  constructor(metrics: Metrics) {
    const registers = [metrics];
    this.seconds = new Histogram({ name: 'parlance_task_seconds', help: 'Time that a try of a task took', labelNames: ['queue'], buckets: DURATIONS, registers });
    this.outcomes = new Counter({
      name: 'parlance_task_outcomes_total',
      help: 'Tries of tasks by how they ended: completed, put_back (continues later), retried (failed, tried again), dead (failed the last try), interrupted (the process stops), lease_lost (removed, or another worker has it)',
      labelNames: ['queue', 'outcome'],
      registers,
    });
    this.outages = new Counter({ name: 'parlance_task_outages_total', help: 'Tries of tasks that failed in an outage and wait for its end, by its code', labelNames: ['queue', 'code'], registers });
    this.takenOverTasks = new Counter({ name: 'parlance_tasks_taken_over_total', help: 'Tasks of workers that sent no heartbeat any more', labelNames: ['queue'], registers });
    this.gauge(metrics, 'parlance_tasks', 'Tasks of the queue in all processes, by state: waiting, delayed (for another try), running, dead', 'state', ({ waiting, delayed, running, dead }) => ({ waiting, delayed, running, dead }));
    this.gauge(metrics, 'parlance_tasks_oldest_seconds', 'How long the oldest waiting task of the queue could have run', undefined, ({ oldestAgeSeconds }) => ({ '': oldestAgeSeconds }));
    this.gauge(metrics, 'parlance_tasks_waiting_audio_seconds', 'Seconds of audio of the waiting tasks of the queue', undefined, ({ waitingAudioSeconds }) => ({ '': waitingAudioSeconds }));
    this.gauge(metrics, 'parlance_task_capacity', 'Tasks of the queue that all workers together run at once', undefined, ({ capacity }) => ({ '': capacity }));
  }

  /** Shows the backlog of the queue whenever the metrics are read. */
  watch(tasks: TaskQueue, queue: string): void {
    this.watched.set(queue, tasks);
  }

  /** @returns a function to call at the end of the try */
  begin(queue: string, _task: Task): () => void {
    return this.seconds.startTimer({ queue });
  }

  ended(queue: string, outcome: TaskOutcome): void {
    this.outcomes.inc({ queue, outcome: OUTCOME_LABELS[outcome] });
  }

  outage(queue: string, code: string): void {
    this.outages.inc({ queue, code });
  }

  takenOver(queue: string, count: number): void {
    this.takenOverTasks.inc({ queue }, count);
  }

  private gauge(metrics: Metrics, name: string, help: string, label: 'state' | undefined, valuesOf: (backlog: Backlog) => Record<string, number>): void {
    const labelNames = label ? (['queue', label] as const) : (['queue'] as const);
    asyncGauge<'queue' | 'state'>(metrics, { name, help, labelNames }, async (gauge: Gauge<'queue' | 'state'>) => {
      for (const [queue, tasks] of this.watched) {
        const values = valuesOf(await tasks.backlog(queue));
        for (const [value, count] of Object.entries(values)) gauge.set({ queue, ...(label && { [label]: value }) }, count);
      }
    });
  }
}
