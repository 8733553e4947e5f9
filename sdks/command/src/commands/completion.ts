import { Argument, type Command } from 'commander';
import { candidates } from '../completion/candidates.js';
import { SCRIPTS } from '../completion/scripts.js';
import type { Context } from '../context.js';

const EXAMPLES = `
Load it at each start of the shell:
  bash  echo 'source <(parlance completion bash)' >> ~/.bashrc
  zsh   echo 'source <(parlance completion zsh)' >> ~/.zshrc
  fish  parlance completion fish > ~/.config/fish/completions/parlance.fish`;

/** Adds `parlance completion`, and the hidden command that its scripts call. */
export function addCompletion(program: Command, context: Context): void {
  program
    .command('completion')
    .description('print a script that completes commands and options')
    .addArgument(new Argument('<shell>').choices(Object.keys(SCRIPTS)))
    .addHelpText('after', EXAMPLES)
    .action((shell: keyof typeof SCRIPTS) => context.terminal.write(SCRIPTS[shell]));
  program
    .command('__complete', { hidden: true })
    .argument('[words...]')
    .allowUnknownOption()
    .action((words: string[]) => {
      for (const word of candidates(program, words)) context.terminal.print(word);
    });
}
