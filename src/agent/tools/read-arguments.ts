import { z } from "zod";
import { safeParseJson } from "#src/lib/parse-json.ts";

const MAX_ISSUES = 5;

type Arguments<T> = { ok: true; value: T } | { ok: false; error: string };

/**
 * Parses and checks the arguments of a call. An empty text counts as `{}`, because some models send it for a call
 * without arguments. Everything else is taken as it is: a value of the wrong type is reported, never converted.
 */
export function readArguments<T>(
  text: string,
  schema: z.ZodType<T>,
  aliases: Readonly<Record<string, string>>,
): Arguments<T> {
  const json = text.trim() === "" ? { value: {} } : safeParseJson(text, z.unknown());
  if (!json) {
    return {
      ok: false,
      error: `The arguments are not valid JSON (${text.length} characters arrived; they may have been cut off).`,
    };
  }
  const parsed = schema.safeParse(renameFields(json.value, aliases));
  if (parsed.success) return { ok: true, value: parsed.data };
  const issues = parsed.error.issues.slice(0, MAX_ISSUES).map(describeIssue);
  const more = parsed.error.issues.length - issues.length;
  const rest = more > 0 ? `; and ${more} more` : "";
  return { ok: false, error: `The arguments do not fit: ${issues.join("; ")}${rest}.` };
}

function describeIssue({ path, message }: z.core.$ZodIssue): string {
  return path.length === 0 ? message : `${z.core.toDotPath(path)}: ${message}`;
}

/**
 * Renames fields to their canonical names; a field that is present under both names is not renamed, so the alias is
 * refused.
 */
function renameFields(value: unknown, aliases: Readonly<Record<string, string>>): unknown {
  if (Array.isArray(value)) return value.map((item) => renameFields(item, aliases));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, field]) => {
      const own = Object.hasOwn(aliases, key) ? aliases[key] : undefined;
      const name = own === undefined || Object.hasOwn(value, own) ? key : own;
      return [name, renameFields(field, aliases)];
    }),
  );
}
