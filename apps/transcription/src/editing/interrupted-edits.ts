import { Inject, Injectable } from '@nestjs/common';
import { TranscriptEditor } from './transcript-editor.js';

/** Transcripts whose last clean-up is remembered. */
const MAX_REMEMBERED = 1000;

/** Cleans up after edits that were interrupted by the end of a process: with the first edit of a transcript that this process handles. */
@Injectable()
export class InterruptedEdits {
  private readonly swept = new Set<string>();

  constructor(@Inject(TranscriptEditor) private readonly editor: TranscriptEditor) {}

  async sweep(jobId: string): Promise<void> {
    if (this.swept.has(jobId)) return;
    await this.editor.sweep(jobId);
    if (this.swept.size >= MAX_REMEMBERED) this.swept.clear();
    this.swept.add(jobId);
  }
}
