import { MultiBar, Presets, type SingleBar } from 'cli-progress';

/** Shows how far each recording is: bars on a terminal, a line at each change of stage elsewhere. */
export interface ProgressView {
  update(name: string, percent: number, stage: string): void;
  end(): void;
}

export function progressView(stream: NodeJS.WriteStream): ProgressView {
  return stream.isTTY ? new BarProgressView(stream) : new LineProgressView(stream);
}

class BarProgressView implements ProgressView {
  private readonly bars = new Map<string, SingleBar>();
  private readonly multiBar: MultiBar;

  constructor(stream: NodeJS.WriteStream) {
    this.multiBar = new MultiBar({ stream, hideCursor: true, format: '  {name}  {bar} {percentage}%  {stage}' }, Presets.shades_classic);
  }

  update(name: string, percent: number, stage: string): void {
    const payload = { name: name.slice(0, 28).padEnd(28), stage };
    const bar = this.bars.get(name);
    if (bar) bar.update(Math.floor(percent), payload);
    else this.bars.set(name, this.multiBar.create(100, Math.floor(percent), payload));
  }

  end(): void {
    this.multiBar.stop();
  }
}

class LineProgressView implements ProgressView {
  private readonly shown = new Map<string, string>();

  constructor(private readonly stream: NodeJS.WriteStream) {}

  update(name: string, percent: number, stage: string): void {
    const step = `${stage} ${Math.floor(percent / 25) * 25}`;
    if (this.shown.get(name) === step) return;
    this.shown.set(name, step);
    this.stream.write(`  ${name}: ${stage}, ${Math.floor(percent)} %\n`);
  }

  end(): void {}
}
