import { BinaryWriter } from '@bufbuild/protobuf/wire';

/** One operation of a graph; attributes by name: whole numbers, lists of them, texts, and tensors. */
export interface OnnxNode {
  op: string;
  inputs: readonly string[];
  outputs: readonly string[];
  attributes?: Readonly<Record<string, number | readonly number[] | string | OnnxTensor>>;
}

/** A constant. `type` as in onnx.proto: the smallest set that the tiny models need. */
export interface OnnxTensor {
  type: 'float' | 'int64' | 'int32';
  shape: readonly number[];
  values: readonly number[];
}

export interface OnnxValue {
  name: string;
  type: OnnxTensor['type'];
  /** A name where the length is not known beforehand. */
  shape: readonly (number | string)[];
}

interface OnnxModel {
  inputs: readonly OnnxValue[];
  outputs: readonly OnnxValue[];
  nodes: readonly OnnxNode[];
  constants?: Readonly<Record<string, OnnxTensor>>;
  /** What sherpa-onnx reads of a model's family and sizes. */
  metadata?: Readonly<Record<string, string | number>>;
}

const DATA_TYPE = { float: 1, int32: 6, int64: 7 } as const;
const OPSET = 13;

/** A model as an .onnx file, by onnx.proto (IR version 8); only what the tiny models of the tests use. */
export function onnxFile({ inputs, outputs, nodes, constants = {}, metadata = {} }: OnnxModel): Uint8Array {
  const graph = new BinaryWriter();
  for (const node of nodes) message(graph, 1, (writer) => writeNode(writer, node));
  graph.uint32(tag(2, 2)).string('graph');
  for (const [name, tensor] of Object.entries(constants)) message(graph, 5, (writer) => writeTensor(writer, tensor, name));
  for (const value of inputs) message(graph, 11, (writer) => writeValue(writer, value));
  for (const value of outputs) message(graph, 12, (writer) => writeValue(writer, value));
  const model = new BinaryWriter().uint32(tag(1, 0)).int64(8);
  model.uint32(tag(7, 2)).bytes(graph.finish());
  message(model, 8, (writer) => writer.uint32(tag(2, 0)).int64(OPSET));
  for (const [key, value] of Object.entries(metadata)) {
    message(model, 14, (writer) => writer.uint32(tag(1, 2)).string(key).uint32(tag(2, 2)).string(String(value)));
  }
  return model.finish();
}

const tag = (field: number, wireType: number): number => (field << 3) | wireType;

function message(writer: BinaryWriter, field: number, write: (inner: BinaryWriter) => void): void {
  const inner = new BinaryWriter();
  write(inner);
  writer.uint32(tag(field, 2)).bytes(inner.finish());
}

function writeNode(writer: BinaryWriter, { op, inputs, outputs, attributes = {} }: OnnxNode): void {
  for (const input of inputs) writer.uint32(tag(1, 2)).string(input);
  for (const output of outputs) writer.uint32(tag(2, 2)).string(output);
  writer.uint32(tag(4, 2)).string(op);
  for (const [name, value] of Object.entries(attributes)) {
    message(writer, 5, (inner) => {
      inner.uint32(tag(1, 2)).string(name);
      writeAttribute(inner, value);
    });
  }
}

function writeAttribute(writer: BinaryWriter, value: number | readonly number[] | string | OnnxTensor): void {
  const type = (kind: number) => writer.uint32(tag(20, 0)).int32(kind);
  if (typeof value === 'number') {
    writer.uint32(tag(3, 0)).int64(value);
    type(2);
  } else if (typeof value === 'string') {
    writer.uint32(tag(4, 2)).bytes(new TextEncoder().encode(value));
    type(3);
  } else if (isList(value)) {
    for (const one of value) writer.uint32(tag(8, 0)).int64(one);
    type(7);
  } else {
    message(writer, 5, (inner) => writeTensor(inner, value));
    type(4);
  }
}

const isList = (value: readonly number[] | OnnxTensor): value is readonly number[] => Array.isArray(value);

function writeTensor(writer: BinaryWriter, { type, shape, values }: OnnxTensor, name?: string): void {
  for (const size of shape) writer.uint32(tag(1, 0)).int64(size);
  writer.uint32(tag(2, 0)).int32(DATA_TYPE[type]);
  if (name !== undefined) writer.uint32(tag(8, 2)).string(name);
  const raw = { float: () => Float32Array.from(values), int32: () => Int32Array.from(values), int64: () => BigInt64Array.from(values, BigInt) }[type]();
  writer.uint32(tag(9, 2)).bytes(new Uint8Array(raw.buffer));
}

function writeValue(writer: BinaryWriter, { name, type, shape }: OnnxValue): void {
  writer.uint32(tag(1, 2)).string(name);
  message(writer, 2, (typeWriter) =>
    message(typeWriter, 1, (tensor) => {
      tensor.uint32(tag(1, 0)).int32(DATA_TYPE[type]);
      message(tensor, 2, (dimensions) => {
        for (const size of shape) {
          message(dimensions, 1, (dimension) => {
            if (typeof size === 'number') dimension.uint32(tag(1, 0)).int64(size);
            else dimension.uint32(tag(2, 2)).string(size);
          });
        }
      });
    }),
  );
}
