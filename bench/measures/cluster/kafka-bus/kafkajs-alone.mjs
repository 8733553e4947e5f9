import kafkajs from 'kafkajs';

/** Idempotent, acknowledged by all, partitions side by side, offsets committed: the same promises, without outbox formats and retries. */
export async function openSide({ brokers, topic, withHeaders }, handled) {
  const kafka = new kafkajs.Kafka({ brokers, logLevel: kafkajs.logLevel.NOTHING });
  const producer = kafka.producer({ idempotent: true, maxInFlightRequests: 1, createPartitioner: kafkajs.Partitioners.DefaultPartitioner, allowAutoTopicCreation: false });
  const consumer = kafka.consumer({ groupId: `${topic}.bench`, maxWaitTimeInMs: 300, allowAutoTopicCreation: false });
  await Promise.all([producer.connect(), consumer.connect()]);
  await consumer.subscribe({ topic, fromBeginning: true });
  const joined = new Promise((resolve) => consumer.on(consumer.events.GROUP_JOIN, resolve));
  await consumer.run({ partitionsConsumedConcurrently: 12, eachMessage: async ({ message }) => (JSON.parse(message.value.toString()), handled()) });
  await joined;
  return {
    send: (events) => producer.send({ topic, acks: -1, messages: events.map((event) => messageOf(event, withHeaders)) }),
    close: () => Promise.all([producer.disconnect(), consumer.disconnect()]),
  };
}

/** The same bytes as the port's; without headers, less than what a reader of the topic needs. */
function messageOf({ key, data, id, type, source, time }, withHeaders) {
  const message = { key, value: JSON.stringify(data) };
  if (!withHeaders) return message;
  return { ...message, headers: { ce_specversion: '1.0', ce_id: id, ce_type: type, ce_source: source, ce_time: time, ce_partitionkey: key, 'content-type': 'application/json' } };
}
