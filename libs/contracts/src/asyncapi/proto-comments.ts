import type { DescEnum, DescField, DescMessage } from '@bufbuild/protobuf';
import { DescriptorProtoSchema, FileDescriptorProtoSchema } from '@bufbuild/protobuf/wkt';

const MESSAGES = FileDescriptorProtoSchema.field.messageType.number;
const ENUMS = FileDescriptorProtoSchema.field.enumType.number;
const FIELDS = DescriptorProtoSchema.field.field.number;

/** The comment above a message, enum or field in its .proto file, on one line; none of those in another message. */
export function commentOn(element: DescMessage | DescEnum | DescField): string | undefined {
  const path = pathOf(element);
  const { file } = element.kind === 'field' ? element.parent : element;
  const place = file.proto.sourceCodeInfo?.location.find((location) => location.path.join() === path.join());
  const comment = place?.leadingComments.replaceAll(/\s+/g, ' ').trim();
  return comment === '' ? undefined : comment;
}

/** @see SourceCodeInfo.Location.path in google/protobuf/descriptor.proto */
function pathOf(element: DescMessage | DescEnum | DescField): number[] {
  if (element.kind === 'message') return [MESSAGES, element.file.proto.messageType.indexOf(element.proto)];
  if (element.kind === 'enum') return [ENUMS, element.file.proto.enumType.indexOf(element.proto)];
  return [...pathOf(element.parent), FIELDS, element.parent.proto.field.indexOf(element.proto)];
}
