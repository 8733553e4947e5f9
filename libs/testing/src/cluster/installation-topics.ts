import kafkajs from 'kafkajs';
import { runAdmin } from '../admin-command.js';

/** Topics and indexes, as an operator makes them: a delivery is made once because its index is unique. @throws Error with what the commands say */
export async function prepareInstallation(settings: Record<string, string>): Promise<void> {
  await Promise.all([runAdmin(settings, 'topics'), runAdmin(settings, 'indexes')]);
}

/** A broker of a test machine does not take thousands of partitions. */
export async function deleteTopics(brokers: string, installation: string): Promise<void> {
  const kafka = new kafkajs.Kafka({ brokers: brokers.split(','), logLevel: kafkajs.logLevel.NOTHING });
  const admin = kafka.admin();
  await admin.connect();
  try {
    const topics = (await admin.listTopics()).filter((topic) => topic.startsWith(`${installation}.`));
    if (topics.length > 0) await admin.deleteTopics({ topics });
  } finally {
    await admin.disconnect();
  }
}
