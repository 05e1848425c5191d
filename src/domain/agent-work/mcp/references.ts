import { AppError } from "#src/lib/errors.ts";

/** `${NAME}` and `${NAME:-default}`, as other agents read them. */
const REFERENCE = /\$\{([A-Za-z_][A-Za-z0-9_]{0,199})(?::-([^}]*))?\}/gu;
/** Most UTF-16 units of all texts of a program once they are filled in: systems take no more at its start. */
const MOST_CHARS = 128 * 1024;

/** Variables by name; null for one to which the project's containers give different values. */
export type Values = ReadonlyMap<string, string | null>;

/** The names for which texts have references, each once, in their order. */
export function namesIn(texts: readonly string[]): string[] {
  const names = texts.flatMap((text) => Array.from(text.matchAll(REFERENCE), ([, name = ""]) => name));
  return [...new Set(names)];
}

/** A text without its references. */
export function withoutReferences(text: string): string {
  return text.replaceAll(REFERENCE, "");
}

/**
 * Returns what fills in the references of a program's texts, one text after the other. It throws `invalid_input`, with a sentence,
 * for a name that has no value and no default, and when all texts together have become too long.
 */
export function filler(values: Values): (text: string) => string {
  let left = MOST_CHARS;
  return (text) =>
    text.replaceAll(REFERENCE, (_, name: string, otherwise: string | undefined) => {
      const value = valueOf(values, name, otherwise);
      left -= value.length;
      if (left < 0)
        throw new AppError("invalid_input", "With its variables the command is longer than 128 KiB");
      return value;
    });
}

function valueOf(values: Values, name: string, otherwise: string | undefined): string {
  const value = values.get(name) ?? otherwise;
  if (value !== undefined) return value;
  throw new AppError(
    "invalid_input",
    values.has(name)
      ? `\${${name}} is not one value: containers of the project have different ones`
      : `\${${name}} has no value: give a container of the project that variable, or write a default, \${${name}:-…}`,
  );
}
