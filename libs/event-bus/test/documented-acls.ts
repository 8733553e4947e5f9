import { readFileSync } from 'node:fs';
import { TOPICS, type Topic } from '@parlance/contracts';
import kafkajs, { type AclEntry } from 'kafkajs';

const { AclOperationTypes, AclPermissionTypes, AclResourceTypes, ResourcePatternTypes } = kafkajs;

/** As one row of docs/events/services.md says. */
export interface ServiceRow {
  principal: string;
  publishes: Topic[];
  consumes: { topic: Topic; group: string }[];
  follows: Topic[];
  erases: boolean;
}

export function documentedServices(): ServiceRow[] {
  // The tables of the sections below are about other things.
  const [table = ''] = readFileSync('docs/events/services.md', 'utf8').split('\n## ');
  const rows = table.matchAll(/^\| ([a-z-]+) \| (.*) \| (.*) \| (.*) \|$/gm);
  return [...rows]
    .filter(([, name]) => name !== 'service')
    .map(([, name, publishes = '', groups = '', tails = '']) => ({
      principal: `parlance-${name}`,
      publishes: namesIn(publishes) as Topic[],
      consumes: namesIn(groups).flatMap((group) =>
        (Object.keys(TOPICS) as Topic[]).filter((topic) => group.startsWith(`${topic}.`)).map((topic) => ({ topic, group: group.slice(topic.length + 1) })),
      ),
      follows: namesIn(tails).filter((name): name is Topic => name in TOPICS),
      erases: namesIn(tails).includes('*.dead-letters'),
    }));
}

const namesIn = (cell: string): string[] => [...cell.matchAll(/`([^`]+)`/g)].flatMap(([, name]) => name ?? []);

/** What the `kafka-acls.sh` commands of a page allow, with a topic prefix. */
export function documentedAcls(page: string, topicPrefix: string): AclEntry[] {
  const text = readFileSync(page, 'utf8').replaceAll('\\\n', ' ');
  const commands = text.split('\n').filter((line) => line.includes('--allow-principal'));
  return commands.flatMap((command) => aclsOf(command.replaceAll('"$PREFIX"', topicPrefix)));
}

function aclsOf(command: string): AclEntry[] {
  const valuesOf = (option: string) => [...command.matchAll(new RegExp(`--${option} (\\S+)`, 'g'))].flatMap(([, value]) => value ?? []);
  const [principal = ''] = valuesOf('allow-principal');
  const prefixed = valuesOf('resource-pattern-type')[0] === 'prefixed';
  const resources = [
    ...valuesOf('topic').map((resourceName) => ({ resourceName, resourceType: AclResourceTypes.TOPIC })),
    ...valuesOf('group').map((resourceName) => ({ resourceName, resourceType: AclResourceTypes.GROUP })),
  ];
  const operations = valuesOf('operation').map(operationOf);
  return resources.flatMap((resource) =>
    operations.map((operation) => ({
      ...resource,
      operation,
      principal,
      host: '*',
      permissionType: AclPermissionTypes.ALLOW,
      resourcePatternType: prefixed ? ResourcePatternTypes.PREFIXED : ResourcePatternTypes.LITERAL,
    })),
  );
}

function operationOf(name: string): kafkajs.AclOperationTypes {
  const operation = OPERATIONS[name];
  if (operation === undefined) throw new Error(`kafka-acls.sh knows no ${name} that this test knows`);
  return operation;
}

const OPERATIONS: Record<string, kafkajs.AclOperationTypes> = {
  Read: AclOperationTypes.READ,
  Write: AclOperationTypes.WRITE,
  Create: AclOperationTypes.CREATE,
  Alter: AclOperationTypes.ALTER,
  Describe: AclOperationTypes.DESCRIBE,
  AlterConfigs: AclOperationTypes.ALTER_CONFIGS,
  DescribeConfigs: AclOperationTypes.DESCRIBE_CONFIGS,
};
