import { z } from "zod";
import { AppError } from "#src/lib/errors.ts";
import { parseJson } from "#src/lib/parse-json.ts";
import type { Secrets } from "#src/platform/secrets/secrets.ts";

export type Variables = Readonly<Record<string, string>>;

export const VARIABLE_NAME = /^[A-Za-z_][A-Za-z0-9_]*$/u;
/** Most UTF-16 units of one value. */
export const MAX_VALUE_LENGTH = 32 * 1024;
const MAX_VARIABLES = 200;
/** Most UTF-16 units of all names and values, because operating systems limit the environment of a new program. */
const MAX_TOTAL_LENGTH = 256 * 1024;

const Stored = z.record(z.string(), z.string());

/** Encrypts variables for storage, and returns their names beside them; both empty for none. */
export async function sealVariables(
  secrets: Pick<Secrets, "encrypt">,
  variables: Variables,
): Promise<{ encrypted: string | null; keys: string[] }> {
  requireVariableBounds(variables);
  const keys = Object.keys(variables).toSorted();
  return { encrypted: keys.length === 0 ? null : await secrets.encrypt(JSON.stringify(variables)), keys };
}

/** Throws `InvalidToken` for variables that were encrypted with another key. */
export async function openVariables(
  secrets: Pick<Secrets, "decrypt">,
  encrypted: string | null,
): Promise<Variables> {
  return encrypted === null ? {} : parseJson(await secrets.decrypt(encrypted), Stored);
}

/**
 * Whether a value is worth hiding. Short values and plain words such as `production` occur everywhere and reveal
 * nothing.
 */
function isTelling(value: string): boolean {
  return value.length >= 8 && !/^[A-Za-z]+$/u.test(value);
}

/** A program's output, without the values of secret variables. */
export function redactVariables(lines: readonly string[], secret: Variables): string[] {
  const values = Object.values(secret)
    .flatMap((value) => value.split("\n"))
    .filter(isTelling)
    .toSorted((a, b) => b.length - a.length);
  return lines.map((line) => values.reduce((text, value) => text.replaceAll(value, "***"), line));
}

/** Throws `invalid_input` for variables that a program cannot be given. */
export function requireVariableBounds(variables: Variables): void {
  const all = Object.entries(variables);
  // The error does not repeat the name: a client that swaps name and value would find the value in the error.
  if (all.some(([name]) => !VARIABLE_NAME.test(name))) {
    throw new AppError(
      "invalid_input",
      "Variable names must consist of letters, digits and underscores, and must not begin with a digit",
    );
  }
  if (all.length > MAX_VARIABLES) {
    throw new AppError("invalid_input", `There are more than ${MAX_VARIABLES} variables`);
  }
  if (all.some(([, value]) => value.length > MAX_VALUE_LENGTH || value.includes("\0"))) {
    throw new AppError("invalid_input", "A variable is longer than 32 KiB or contains a NUL character");
  }
  if (all.reduce((total, [name, value]) => total + name.length + value.length, 0) > MAX_TOTAL_LENGTH) {
    throw new AppError("invalid_input", "The variables together are longer than 256 KiB");
  }
}
