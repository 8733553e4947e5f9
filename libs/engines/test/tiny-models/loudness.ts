import type { OnnxNode, OnnxTensor, OnnxValue } from './onnx-file.js';

/** A graph's beginnings, to be joined with more. */
export interface Part {
  nodes: OnnxNode[];
  constants: Record<string, OnnxTensor>;
}

export const floats = (values: readonly number[], shape: readonly number[] = [values.length]): OnnxTensor => ({ type: 'float', shape, values });
export const integers = (values: readonly number[], shape: readonly number[] = [values.length]): OnnxTensor => ({ type: 'int64', shape, values });
export const value = (name: string, type: OnnxValue['type'], shape: readonly (number | string)[]): OnnxValue => ({ name, type, shape });

/** Between the log energies of digital silence (about -16 with sherpa-onnx's floor) and of a tone of a tenth of full scale. */
const LOUD_ABOVE = -10;

interface LoudnessOptions {
  from: string;
  to: string;
  stride: number;
  above?: number;
  reduce?: 'ReduceMean' | 'ReduceMax';
}

/**
 * 1 where a frame is loud and 0 where it is not, `[1, T', 1]`, from `[1, features, T]`: the mean of the features above a
 * threshold, over `stride` frames each.
 */
export function loudness({ from, to, stride, above = LOUD_ABOVE, reduce = 'ReduceMean' }: LoudnessOptions): Part {
  return {
    nodes: [
      { op: reduce, inputs: [from], outputs: ['mean'], attributes: { axes: [1], keepdims: 1 } },
      { op: 'AveragePool', inputs: ['mean'], outputs: ['pooled'], attributes: { kernel_shape: [stride], strides: [stride], ceil_mode: 1 } },
      { op: 'Transpose', inputs: ['pooled'], outputs: ['frames'], attributes: { perm: [0, 2, 1] } },
      { op: 'Greater', inputs: ['frames', 'threshold'], outputs: ['loud'] },
      { op: 'Cast', inputs: ['loud'], outputs: [to], attributes: { to: 1 } },
    ],
    constants: { threshold: floats([above]) },
  };
}

/** The first row of each thing that a table says for whole numbers: `table[input]`. */
export const lookUp = (input: string, table: string, output: string): OnnxNode => ({ op: 'Gather', inputs: [table, input], outputs: [output], attributes: { axis: 0 } });
