import { access } from 'node:fs/promises';
import { availableParallelism } from 'node:os';
import { isAbsolute, join } from 'node:path';
import { z } from 'zod';
import { catalogueModel, type ModelFamily } from '../../local-models/model-catalogue.js';
import { SherpaProcess } from '../../local-models/sherpa-process.js';
import { abortError, engineFailed } from '../../speech/engine-errors.js';
import { boundsWarnings } from '../speaker-bounds.js';
import type { DiarizationEngineInfo, DiarizationRequest, DiarizationResult, SpeakerDiarizer } from '../speaker-diarizer.js';
import { blocksOfAudio } from './blocks-of-audio.js';
import { namedTurns, type PersonTurn } from './named-turns.js';
import { VoiceLinker } from './voice-linker.js';

const WORKER = new URL('./diarization-worker.mjs', import.meta.url);
/** Within a block rather too many voices than too few: what is one person is linked later, over all blocks. */
const BLOCK_SHARE_OF_THRESHOLD = 0.8;

export interface SherpaDiarizerOptions {
  /** Of the catalogue, or the absolute path of an .onnx file; default pyannote-segmentation-3.0. */
  segmentation?: string;
  /** Likewise; default 3dspeaker-campplus-zh-en. */
  embedding?: string;
  /** Cosine distance of voices from which on they are of two people; default 0.5. */
  threshold?: number;
  /** By which share of its ten seconds the segmentation's window moves: a larger one is quicker and rougher; default 0.1. */
  step?: number;
  /** What is heard at once, at least; default 120. Twice as much at most. */
  blockSeconds?: number;
  /** Default: the cores, up to 4. */
  threads?: number;
  modelsFolder: string;
}

const heard = z.object({
  turns: z.array(z.object({ start: z.number(), end: z.number(), voice: z.number().int().nonnegative() })),
  voices: z.array(z.object({ embedding: z.custom<Float32Array>((value) => ArrayBuffer.isView(value) && !(value instanceof DataView)).optional(), seconds: z.number() })),
});

/**
 * Who speaks when, by neural models in ONNX on this machine: pyannote's segmentation and an extractor of voice embeddings,
 * run by sherpa-onnx block by block; the people of all blocks are found by our own clustering. Each `diarize` has a process
 * of its own that ends with it.
 */
export class SherpaDiarizer implements SpeakerDiarizer {
  readonly info: DiarizationEngineInfo;
  private readonly models: { segmentation: Model; embedding: Model };

  /** @throws UnknownDiarizationModel */
  constructor(private readonly options: SherpaDiarizerOptions) {
    const { segmentation = 'pyannote-segmentation-3.0', embedding = '3dspeaker-campplus-zh-en', modelsFolder } = options;
    this.models = { segmentation: modelOf(segmentation, 'segmentation', modelsFolder), embedding: modelOf(embedding, 'embedding', modelsFolder) };
    this.info = { name: `sherpa:${this.models.segmentation.name}+${this.models.embedding.name}`, overlaps: true };
  }

  /** Whether its models are there. @throws AppError engine_failed that says what is missing */
  async check(): Promise<void> {
    for (const { name, path, known } of Object.values(this.models)) {
      await access(path).catch(() => {
        const how = known ? `is not in the models folder; "parlance-admin models get ${name}" gets it.` : 'is not there.';
        throw engineFailed(`The model ${name} ${how}`);
      });
    }
  }

  async diarize({ audio, signal, minSpeakers, maxSpeakers }: DiarizationRequest): Promise<DiarizationResult> {
    if (signal.aborted) throw abortError(signal);
    await this.check();
    const threshold = this.options.threshold ?? 0.5;
    const process = new SherpaProcess(WORKER, this.settings(threshold), 'the speaker models');
    try {
      const linker = new VoiceLinker(threshold);
      const turns: PersonTurn[] = [];
      for await (const { start, samples } of blocksOfAudio(audio, this.options.blockSeconds)) {
        const answer = heard.safeParse(await process.ask({ samples }, signal));
        if (!answer.success) throw engineFailed('The speaker models answered in an unknown form.');
        const voices = linker.add(answer.data.voices);
        for (const turn of answer.data.turns) turns.push({ start: start + turn.start, end: start + turn.end, person: voices[turn.voice] });
      }
      const people = linker.people({ minSpeakers, maxSpeakers });
      const named = namedTurns(turns.map((turn) => ({ ...turn, person: people[turn.person ?? -1] })));
      const speakerCount = new Set(named.map(({ speakerId }) => speakerId)).size;
      const warnings = boundsWarnings(speakerCount, { minSpeakers, maxSpeakers });
      return { turns: named, speakerCount, ...(warnings.length > 0 && { warnings }) };
    } finally {
      await process.close();
    }
  }

  async close(): Promise<void> {}

  private settings(threshold: number): object {
    const machine = { numThreads: this.options.threads ?? Math.min(4, availableParallelism()), debug: 0, provider: 'cpu' };
    const embedding = { model: this.models.embedding.path, ...machine };
    return {
      diarization: {
        segmentation: { pyannote: { model: this.models.segmentation.path, windowShiftRatio: this.options.step ?? 0.1 }, ...machine },
        embedding,
        clustering: { numClusters: -1, threshold: threshold * BLOCK_SHARE_OF_THRESHOLD },
        minDurationOn: 0.2,
        minDurationOff: 0.5,
      },
      embedding,
    };
  }
}

interface Model {
  name: string;
  path: string;
  known: boolean;
}

/** What is wrong with the name of a model, for who set it. */
export class UnknownDiarizationModel extends Error {}

function modelOf(nameOrPath: string, family: ModelFamily, modelsFolder: string): Model {
  if (isAbsolute(nameOrPath)) return { name: nameOrPath.split('/').at(-1) ?? nameOrPath, path: nameOrPath, known: false };
  const known = catalogueModel(nameOrPath);
  if (known?.family !== family) {
    throw new UnknownDiarizationModel(`knows no ${family} model '${nameOrPath}'; "parlance-admin models list" shows those it knows, or give the absolute path of an .onnx file`);
  }
  return { name: known.name, path: join(modelsFolder, known.name, known.files[0] ?? ''), known: true };
}
