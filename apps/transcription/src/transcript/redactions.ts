import { Inject, Injectable, type OnApplicationShutdown } from '@nestjs/common';
import type { common } from '@parlance/contracts';
import type { Clock } from '@parlance/platform';
import { CLOCK } from '@parlance/runtime';
import { haveNames, NamesThread, REDACTION_POLICIES, redactionReader, type NamesFinder, type RedactionPolicy, type RedactionReader } from '@parlance/text-analysis';
import { provisionalLabel, RedactionLabels, redactWords, type MergedWord, type Redaction, type RedactionOptions } from '@parlance/transcript';
import { ModelNames } from './model-names.js';

/** The redaction of a job; `language`: that of words whose language was not detected. */
interface RedactionRequest {
  redaction?: RedactionOptions | undefined;
  language: string | undefined;
}

interface ModelRequest extends RedactionRequest {
  /** Called when the language model failed, so that rules alone found names. */
  onWarning: (warning: common.Warning) => void;
}

type Redact = <W extends MergedWord>(words: AsyncIterable<W>) => AsyncIterable<W>;

/** Milliseconds that the model may take for a window of a transcript, and for a final of a live session. */
const WINDOW_MS = 120_000;
const FINAL_MS = 10_000;
/** For all windows of a transcript: the merge that writes it has ten minutes. */
const TRANSCRIPT_MS = 8 * 60_000;

/** Removes personal data from words before anything stores or sends them. */
@Injectable()
export class Redactions implements OnApplicationShutdown {
  private readonly names = new NamesThread();

  constructor(
    @Inject(CLOCK) private readonly clock: Clock,
    @Inject(ModelNames) private readonly model: ModelNames,
  ) {}

  /** True when a language model finds names of this redaction: what is written by rules alone may have more of them. */
  readsModel(redaction: RedactionOptions | undefined): boolean {
    return this.model.isConfigured && haveNames(redaction?.policies ?? []);
  }

  /** For all words of a transcript; a writer of its own for each. */
  ofTranscript({ redaction, language, onWarning }: ModelRequest): Redact {
    if (!redaction) return unchanged;
    const labels = new RedactionLabels(redaction);
    return this.writer({ redaction, language, label: (place) => labels.of(place), more: this.model.finder(asked(redaction), { onWarning, deadlineMs: WINDOW_MS, totalMs: TRANSCRIPT_MS }) });
  }

  /** For a final of a live session: its labels have no numbers. Aborts with the signal. */
  ofFinal({ redaction, language, onWarning, signal }: ModelRequest & { signal: AbortSignal }): Redact {
    if (!redaction) return unchanged;
    return this.writer({ redaction, language, label: (place) => provisionalLabel(place, redaction), more: this.model.finder(asked(redaction), { onWarning, deadlineMs: FINAL_MS, isLive: true, signal }) });
  }

  /** For a part of the words, of which the others are not known, by rules: its labels have no numbers. */
  ofPart({ redaction, language }: RedactionRequest): Redact {
    return redaction ? this.writer({ redaction, language, label: (place) => provisionalLabel(place, redaction) }) : unchanged;
  }

  async onApplicationShutdown(): Promise<void> {
    await this.names.close();
  }

  private writer({ redaction, language, label, more }: { redaction: RedactionOptions; language: string | undefined; label: Redaction['label']; more?: NamesFinder | undefined }): Redact {
    const readers = new Map<string, Promise<RedactionReader>>();
    const find: Redaction['find'] = async (text, detected = language ?? 'und') => {
      const reader = readers.get(detected) ?? redactionReader({ language: detected, recordedAt: this.clock.now() }, asked(redaction), this.names, more);
      readers.set(detected, reader);
      return (await reader)(text);
    };
    return (words) => redactWords(words, { find, label });
  }
}

const unchanged: Redact = (words) => words;

const asked = ({ policies }: RedactionOptions): RedactionPolicy[] => REDACTION_POLICIES.filter((policy) => policies.includes(policy));
