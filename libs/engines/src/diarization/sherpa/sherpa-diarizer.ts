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

interface SherpaDiarizerOptions {
  /** A model of the catalogue, or the absolute path of an .onnx file; default pyannote-segmentation-3.0. */
  segmentation?: string;
  /** Likewise; default 3dspeaker-campplus-zh-en. */
  embedding?: string;
  /** Cosine distance of voices from which on they are of two people; default 0.5. */
  threshold?: number;
  /** By which share of its ten seconds the segmentation's window moves: a larger one is quicker and rougher; default 0.1. */
  step?: number;
  /** The minimum length of a block in seconds; default 120. The maximum is twice as much. */
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
 * Diarizes with neural models in ONNX on this machine: pyannote's segmentation and an extractor of voice embeddings, run by
 * sherpa-onnx block by block; our own clustering finds the people of all blocks. Each `diarize` has its own process, which
 * ends with it.
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

  /** Checks that its models exist. @throws AppError engine_failed that names the missing model */
  async check(): Promise<void> {
    for (const { name, path, known } of Object.values(this.models)) {
      await access(path).catch(() => {
        const how = known ? `is not in the models folder; "parlance-admin models get ${name}" downloads it.` : 'does not exist.';
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
        if (!answer.success) throw engineFailed('The speaker models answered in an unknown format.');
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

/** The configured name of a model is invalid; the message explains why. */
export class UnknownDiarizationModel extends Error {}

function modelOf(nameOrPath: string, family: ModelFamily, modelsFolder: string): Model {
  if (isAbsolute(nameOrPath)) return { name: nameOrPath.split('/').at(-1) ?? nameOrPath, path: nameOrPath, known: false };
  const known = catalogueModel(nameOrPath);
  if (known?.family !== family) {
    throw new UnknownDiarizationModel(`contains an unknown ${family} model '${nameOrPath}'; "parlance-admin models list" shows the known models, or give the absolute path of an .onnx file`);
  }
  return { name: known.name, path: join(modelsFolder, known.name, known.files[0] ?? ''), known: true };
}
