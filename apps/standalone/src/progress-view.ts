import { MultiBar, Presets } from 'cli-progress';
import { barLine } from './bar-line.js';

/** Says how far a recording is: percent from 0 to 100, and the stage it is in. */
type ProgressReport = (percent: number, stage: string) => void;

/** Shows how far each recording is: bars on a terminal, a line at each change of stage elsewhere. */
export interface ProgressView {
  /** A bar, or lines, of its own, whatever others are called. */
  add(name: string): ProgressReport;
  end(): void;
}

export function progressView(stream: NodeJS.WriteStream): ProgressView {
  return stream.isTTY ? new BarProgressView(stream) : new LineProgressView(stream);
}

class BarProgressView implements ProgressView {
  private readonly multiBar: MultiBar;

  constructor(stream: NodeJS.WriteStream) {
    this.multiBar = new MultiBar(
      { stream, hideCursor: true, format: (_options, { value }, { name, stage }) => barLine({ name, stage, percent: value }, stream.columns || 80) },
      Presets.shades_classic,
    );
  }

  add(name: string): ProgressReport {
    const bar = this.multiBar.create(100, 0, { name, stage: '' });
    return (percent, stage) => bar.update(Math.floor(percent), { name, stage });
  }

  end(): void {
    this.multiBar.stop();
  }
}

class LineProgressView implements ProgressView {
  constructor(private readonly stream: NodeJS.WriteStream) {}

  add(name: string): ProgressReport {
    let shown: string | undefined;
    return (percent, stage) => {
      const step = `${stage} ${Math.floor(percent / 25) * 25}`;
      if (shown === step) return;
      shown = step;
      this.stream.write(`  ${name}: ${stage}, ${Math.floor(percent)} %\n`);
    };
  }

  end(): void {}
}
