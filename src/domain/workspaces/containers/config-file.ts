import { z } from "zod";
import { AppError } from "#src/lib/errors.ts";
import { fieldName } from "#src/lib/field-name.ts";
import { safeParseJson } from "#src/lib/parse-json.ts";
import type { ProjectFiles } from "#src/platform/runtime/project-files.ts";
import { CONFIG_PATH, ConfigDocument } from "./config-document.ts";
import type { Variables } from "./environment.ts";

type Files = Pick<ProjectFiles, "readFile" | "writeFile">;

/**
 * The configuration document in a project's files; `undefined` if there is none. Throws `invalid_input` with the
 * problems of an invalid file.
 */
export async function readConfigFile(files: Pick<Files, "readFile">): Promise<ConfigDocument | undefined> {
  const bytes = await files.readFile(CONFIG_PATH);
  if (!bytes) return undefined;
  const json = safeParseJson(new TextDecoder().decode(bytes), z.unknown());
  if (!json) throw new AppError("invalid_input", `${CONFIG_PATH} is not JSON`);
  const parsed = ConfigDocument.safeParse(json.value);
  if (parsed.success) return parsed.data;
  const problems = parsed.error.issues.map(({ path, message }) =>
    [fieldName(path), message].filter(Boolean).join(": "),
  );
  throw new AppError("invalid_input", `${CONFIG_PATH} is not valid: ${problems.slice(0, 10).join("; ")}`);
}

/** As `readConfigFile`, but an invalid file counts as absent. */
export async function findConfigFile(files: Pick<Files, "readFile">): Promise<ConfigDocument | undefined> {
  try {
    return await readConfigFile(files);
  } catch (error) {
    if (error instanceof AppError && !error.retryable) return undefined;
    throw error;
  }
}

export async function writeConfigFile(
  files: Pick<Files, "writeFile">,
  document: ConfigDocument,
): Promise<void> {
  await files.writeFile(CONFIG_PATH, new TextEncoder().encode(`${JSON.stringify(document, undefined, 2)}\n`));
}

/** The variables that each container exports, by container name. */
export async function findExports(files: Pick<Files, "readFile">): Promise<ReadonlyMap<string, Variables>> {
  const document = await findConfigFile(files);
  const all = { ...document?.infrastructure, ...document?.apps };
  return new Map(Object.entries(all).map(([name, entry]) => [name, entry.exports]));
}

/** The reference that replaces, in the file, a value that only the service knows. */
export const referenceTo = (variable: string) => `\${${variable}}`;

/**
 * Variables as the file shows them: a value that the file already contains stays, every other is a reference to the
 * value that the service stores encrypted. So no secret is added to a project's files.
 */
export function variablesForFile(
  names: readonly string[],
  values: Variables,
  inFile: Variables = {},
): Variables {
  return Object.fromEntries(
    names.map((name) => {
      const isThere =
        Object.hasOwn(inFile, name) && (values[name] === undefined || values[name] === inFile[name]);
      return [name, (isThere ? inFile[name] : undefined) ?? referenceTo(name)];
    }),
  );
}
