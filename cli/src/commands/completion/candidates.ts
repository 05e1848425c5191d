import type { ArgsDef, CommandDef } from "citty";
import { HOSTING_PROVIDERS } from "../../hosting-providers.ts";
import { valueOf } from "../../resolvable.ts";
import type { Names } from "./names.ts";

/** Arguments whose values are names of the service. */
const NAMED: Readonly<Record<string, keyof Names>> = { project: "projects", task: "tasks", of: "tasks" };

/** Arguments that take one of a few words. */
const WORDS: Readonly<Record<string, readonly string[]>> = {
  page: ["preview", "docs", "account"],
  shell: ["bash", "zsh", "fish"],
  method: ["GET", "POST", "PUT", "PATCH", "DELETE"],
  provider: HOSTING_PROVIDERS,
};

/** The words that may stand in the place of the last one. */
export async function candidates(
  root: CommandDef,
  words: readonly string[],
  names: () => Promise<Names>,
): Promise<string[]> {
  const current = words.at(-1) ?? "";
  const { command, rest } = await commandOf(root, words.slice(0, -1));
  const found = await wordsOf(command, rest, current, names);
  return found.filter((each) => each.startsWith(current));
}

async function commandOf(
  root: CommandDef,
  words: readonly string[],
): Promise<{ command: CommandDef; rest: string[] }> {
  let command = root;
  let rest = [...words];
  for (;;) {
    const inside = await valueOf(command.subCommands);
    const [word] = rest;
    const next =
      inside && word !== undefined && Object.hasOwn(inside, word) ? await valueOf(inside[word]) : undefined;
    if (!next) return { command, rest };
    command = next;
    rest = rest.slice(1);
  }
}

async function wordsOf(
  command: CommandDef,
  rest: readonly string[],
  current: string,
  names: () => Promise<Names>,
): Promise<readonly string[]> {
  const inside = await valueOf(command.subCommands);
  const args: ArgsDef = (await valueOf(command.args)) ?? {};
  const previous = rest.at(-1) ?? "";
  const option = Object.entries(args).find(
    ([name, each]) => takesValue(each) && isOption(name, each, previous),
  );
  if (option) return valuesOf(option[0], option[1], names);
  if (current.startsWith("-")) return optionsOf(args);
  if (inside) return Object.keys(inside).filter((name) => !name.startsWith("_"));
  const positions = Object.entries(args).filter(([, { type }]) => type === "positional");
  const [name, definition] = positions[rest.filter((word) => !word.startsWith("-")).length] ?? [];
  return name !== undefined && definition ? valuesOf(name, definition, names) : [];
}

type Definition = ArgsDef[string];

function takesValue({ type }: Definition): boolean {
  return type === "string" || type === "enum";
}

function isOption(name: string, definition: Definition, word: string): boolean {
  const alias = "alias" in definition ? [definition.alias ?? []].flat() : [];
  return word === `--${name}` || alias.some((each) => word === `-${each}`);
}

async function valuesOf(
  name: string,
  definition: Definition,
  names: () => Promise<Names>,
): Promise<readonly string[]> {
  if (definition.type === "enum") return definition.options ?? [];
  const kind = NAMED[name];
  if (WORDS[name]) return WORDS[name];
  return kind ? (await names())[kind] : [];
}

function optionsOf(args: ArgsDef): string[] {
  return Object.entries(args).flatMap(([name, { type, ...rest }]) => {
    if (type === "positional") return [];
    return type === "boolean" && rest.default === true ? [`--no-${name}`] : [`--${name}`];
  });
}
