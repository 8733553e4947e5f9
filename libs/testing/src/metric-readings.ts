import { isDeepStrictEqual } from 'node:util';
import { eventually } from './eventually.js';

const SERIES = /^(\w+)(?:\{(.*)\})? (\S+)$/;
const LABEL = /(\w+)="((?:[^"\\]|\\.)*)"/g;

interface Series {
  name: string;
  labels: Record<string, string>;
  value: number;
}

/** The metrics of all processes of one installation at one time. */
export class MetricReadings {
  private readonly series: readonly Series[];
  /** Of all metrics, those without a series included. */
  readonly names: ReadonlySet<string>;
  /** As Prometheus reads them. */
  readonly text: string;

  /** @param texts of each process, in Prometheus' text format */
  constructor(texts: readonly string[]) {
    this.text = texts.join('\n');
    const lines = texts.flatMap((text) => text.split('\n'));
    this.series = lines.flatMap((line) => seriesOf(line) ?? []);
    this.names = new Set(lines.flatMap((line) => /^# TYPE (\w+) /.exec(line)?.[1] ?? []));
  }

  /** @param selector `name` or `name{label="value"}`; @returns the sum of all series that it fits; 0 of none */
  total(selector: string): number {
    return this.values(selector).reduce((sum, value) => sum + value, 0);
  }

  /** Of what each process looks up in the store they share. */
  largest(selector: string): number {
    return Math.max(...this.values(selector));
  }

  private values(selector: string): number[] {
    const { name, labels } = seriesOf(`${selector} 0`) ?? { name: selector, labels: {} };
    const fits = (series: Series) => series.name === name && Object.entries(labels).every(([label, value]) => series.labels[label] === value);
    return this.series.filter(fits).map(({ value }) => value);
  }
}

/** Something is counted just after it can be seen; a busy machine takes its time. */
const COUNTED_WITHIN_MS = 60_000;

/**
 * @param expected totals by selector
 * @param mayRepeat selectors of what may be done again, of which more than expected is as good
 * @returns the totals as soon as they are these, after a minute as they are
 */
export async function totalsOf(parlance: { metrics(): Promise<MetricReadings> }, expected: Record<string, number>, mayRepeat: readonly string[] = []): Promise<Record<string, number>> {
  const read = async () => {
    const metrics = await parlance.metrics();
    const totalOf = ([selector, wanted]: [string, number]) => {
      const total = metrics.total(selector);
      return mayRepeat.includes(selector) ? Math.min(total, wanted) : total;
    };
    return Object.fromEntries(Object.entries(expected).map((each) => [each[0], totalOf(each)]));
  };
  await eventually('the metrics', async () => isDeepStrictEqual(await read(), expected), COUNTED_WITHIN_MS).catch(() => {});
  return read();
}

function seriesOf(line: string): Series | undefined {
  const [, name, labels = '', value] = SERIES.exec(line) ?? [];
  return name === undefined ? undefined : { name, labels: Object.fromEntries([...labels.matchAll(LABEL)].map(([, label = '', text = '']) => [label, text])), value: Number(value) };
}
