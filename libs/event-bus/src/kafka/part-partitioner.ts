import kafkajs, { type ICustomPartitioner } from 'kafkajs';

const PART = /^(.+)\/(\d+)$/;

/**
 * Events of one key stay on one partition, the one where clients of other languages would put them (murmur2). The numbered
 * parts of a whole (`job_…/17`) go round all partitions from the whole's own: left to chance, one of four workers would get
 * a fifth more of a recording's chunks than its share, and all would wait for it.
 */
export const partPartitioner: ICustomPartitioner = () => {
  const byKey = kafkajs.Partitioners.DefaultPartitioner();
  return (record) => {
    const [, whole, part] = PART.exec(record.message.key?.toString() ?? '') ?? [];
    if (whole === undefined || part === undefined) return byKey(record);
    const first = byKey({ ...record, message: { ...record.message, key: whole } });
    return (first + Number(part)) % record.partitionMetadata.length;
  };
};
