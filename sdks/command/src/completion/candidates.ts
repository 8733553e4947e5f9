import type { Command, Option } from 'commander';
import { FORMAT_NAMES } from '../transcribe/formats.js';

/** Commands and options that can follow the words; undefined where a file name may be meant. */
export function candidates(program: Command, words: readonly string[]): string[] {
  const current = words.at(-1) ?? '';
  const command = commandOf(program, words.slice(0, -1));
  const value = valuesOf(optionNamed(command, words.at(-2)), current);
  const all = value ?? (current.startsWith('-') ? optionsOf(command).flatMap(({ short, long }) => [short, long].filter((flag) => flag !== undefined)) : command.commands.filter(isShown).map((each) => each.name()));
  return all.filter((each) => each.startsWith(current));
}

function commandOf(program: Command, words: readonly string[]): Command {
  let command = program;
  for (const word of words) command = command.commands.find((each) => each.name() === word) ?? command;
  return command;
}

/** The command's own options, and those of the commands above it. */
function optionsOf(command: Command): Option[] {
  const own = command.options.filter(({ hidden }) => !hidden);
  return command.parent ? [...own, ...optionsOf(command.parent)] : own;
}

const optionNamed = (command: Command, flag: string | undefined) => optionsOf(command).find((option) => flag?.startsWith('-') && (option.short === flag || option.long === flag));

/** The values of an option that has a list of them; nothing for one that takes any value. */
function valuesOf(option: Option | undefined, current: string): string[] | undefined {
  if (!option?.required) return undefined;
  if (option.long !== '--format') return option.argChoices ?? [];
  const earlier = current.slice(0, current.lastIndexOf(',') + 1);
  return FORMAT_NAMES.map((name) => earlier + name);
}

/** Commander keeps the hidden state of a command to itself. */
const isShown = (command: Command) => !command.name().startsWith('_');
