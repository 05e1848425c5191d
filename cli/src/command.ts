import { defineCommand, type ArgsDef, type CommandDef } from "citty";
import { createContext, type Context } from "./context.ts";
import { UsageError } from "./errors.ts";

/** Options of every command. */
const GLOBAL_ARGS = {
  json: { type: "boolean", description: "Print lines of JSON, errors too" },
  url: { type: "string", description: "Address of the service", valueHint: "address" },
  debug: { type: "boolean", description: "Tell each request on standard error" },
  input: { type: "boolean", default: true, description: "Ask questions", negativeDescription: "Ask nothing" },
  color: {
    type: "boolean",
    default: true,
    description: "Use colours",
    negativeDescription: "Use no colours",
  },
} as const satisfies ArgsDef;

/** The value of an argument: the parser's own types know neither that a word is required nor the words of a choice. */
type Value<A> = A extends { type: "boolean" }
  ? boolean | undefined
  : A extends { type: "enum"; options: readonly (infer O)[] }
    ? Present<A, O>
    : A extends { type: "positional" }
      ? A extends { required: false }
        ? string | undefined
        : string
      : Present<A, string>;
type Present<A, V> = A extends { required: true } | { default: string } ? V : V | undefined;

/** The values of a command's arguments; `_` has all words. */
type Values<T extends ArgsDef> = { readonly [K in keyof T]: Value<T[K]> } & { readonly _: readonly string[] };

interface Definition<T extends ArgsDef> {
  readonly description: string;
  readonly args?: T;
  /** Takes any number of words behind its named ones. */
  readonly hasRest?: boolean;
  readonly isHidden?: boolean;
  run(context: Context, args: Values<T>): Promise<void>;
}

/** A command. Its options are checked before it runs: unknown ones, missing values and words too many are usage errors. */
export function command<const T extends ArgsDef>(name: string, definition: Definition<T>): CommandDef {
  const args: ArgsDef = { ...definition.args, ...GLOBAL_ARGS };
  return defineCommand({
    meta: { name, description: definition.description, hidden: definition.isHidden ?? false },
    args,
    run: async ({ args: parsed, rawArgs }) => {
      requireKnown(parsed, args, rawArgs, definition.hasRest ?? false);
      // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the parser has checked what `Values` says of them
      await definition.run(contextOf(parsed), parsed as Values<T>);
    },
  });
}

/** Commands under a common name. Without one of them, `otherwise` runs. */
export function group(
  name: string,
  description: string,
  commands: Readonly<Record<string, CommandDef>>,
  otherwise?: string,
): CommandDef {
  return defineCommand({
    meta: { name, description },
    subCommands: commands,
    ...(otherwise !== undefined && { default: otherwise }),
  });
}

function contextOf(parsed: Readonly<Record<string, unknown>>): Context {
  const { url } = parsed;
  return createContext({
    json: parsed["json"] === true,
    url: typeof url === "string" ? url : undefined,
    debug: parsed["debug"] === true,
    input: parsed["input"] !== false,
    color: parsed["color"] !== false,
  });
}

function requireKnown(
  parsed: Readonly<Record<string, unknown>> & { readonly _: readonly string[] },
  args: ArgsDef,
  rawArgs: readonly string[],
  hasRest: boolean,
): void {
  const options = Object.entries(args).filter(([, { type }]) => type !== "positional");
  const known = new Set(
    Object.entries(args).flatMap(([name, definition]) =>
      [name, ...("alias" in definition ? listOf(definition.alias) : [])].flatMap(spellings),
    ),
  );
  for (const name of Object.keys(parsed)) {
    if (name !== "_" && !known.has(name)) {
      throw new UsageError(`There is no option ${name.length === 1 ? "-" : "--"}${name}`);
    }
  }
  for (const [name, { type }] of options) {
    if (type !== "boolean" && parsed[name] === "" && isWithoutValue(name, rawArgs)) {
      throw new UsageError(`--${name} needs a value`);
    }
  }
  const words = Object.keys(args).length - options.length;
  const excess = parsed._[words];
  if (excess !== undefined && !hasRest) throw new UsageError(`"${excess}" is a word too many`);
}

function listOf(alias: string | string[] | undefined): string[] {
  return alias === undefined ? [] : [alias].flat();
}

/** Both ways in which an option's name may be read. */
function spellings(name: string): string[] {
  return [name, name.replaceAll(/-(\w)/gu, (_, letter: string) => letter.toUpperCase())];
}

/** The parser gives the same for `--name` and `--name ""`; the second one is a value. */
function isWithoutValue(name: string, rawArgs: readonly string[]): boolean {
  return !rawArgs.includes("") && !rawArgs.includes(`--${name}=`);
}
