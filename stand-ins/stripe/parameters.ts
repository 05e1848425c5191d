import { z } from "zod";
import { invalidParameter } from "./api-error.ts";
import type { Form } from "./form.ts";

/** A whole number, as forms have it. */
export const int = z
  .string()
  .regex(/^-?\d{1,15}$/u, "Invalid integer")
  .transform(Number);

/** Minor units of a currency; never negative. */
export const amount = int.refine((value) => value >= 0, "Must be at least 0");

export const bool = z.enum(["true", "false"]).transform((value) => value === "true");

export const currency = z
  .string()
  .regex(/^[a-zA-Z]{3}$/u, "Invalid currency")
  .transform((value) => value.toLowerCase());

/** An absolute address of the web. */
export const webAddress = z.string().refine((value) => /^https?:\/\/[^/]/u.test(value), "Not a valid URL");

/**
 * At most 50 keys of 40 characters with values of 500. An empty value deletes its key; an empty text in place of the
 * whole deletes all. https://docs.stripe.com/api/metadata
 */
export const metadata = z.union([
  z.literal("").transform(() => undefined),
  z
    .record(z.string().max(40), z.string().max(500))
    .refine((value) => Object.keys(value).length <= 50, "Metadata can have up to 50 keys"),
]);
export type MetadataChange = z.infer<typeof metadata>;

/** Applies a change of metadata; `undefined` deletes all of it. */
export function changedMetadata(
  before: Readonly<Record<string, string>>,
  change: MetadataChange,
): Record<string, string> {
  if (change === undefined) return {};
  return Object.fromEntries(Object.entries({ ...before, ...change }).filter(([, value]) => value !== ""));
}

/** Reads the parameters of a call. Unknown, missing and malformed ones are refused as Stripe refuses them. */
export function readParameters<T>(schema: z.ZodType<T>, form: Form): T {
  const parsed = schema.safeParse(form);
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  if (!issue) throw invalidParameter("Invalid parameters");
  if (issue.code === "unrecognized_keys") {
    const name = nameOf([...issue.path, issue.keys[0] ?? ""]);
    throw invalidParameter(`Received unknown parameter: ${name}`, name, "parameter_unknown");
  }
  const name = nameOf(issue.path);
  if (isMissing(form, issue.path)) {
    throw invalidParameter(`Missing required param: ${name}.`, name, "parameter_missing");
  }
  throw invalidParameter(`Invalid ${name}: ${issue.message}`, name);
}

function nameOf([first, ...rest]: readonly PropertyKey[]): string {
  return `${String(first ?? "")}${rest.map((key) => `[${String(key)}]`).join("")}`;
}

function isMissing(form: Form, path: readonly PropertyKey[]): boolean {
  let value: unknown = form;
  for (const key of path) {
    if (!(value instanceof Object) && !(typeof value === "object" && value !== null)) return true;
    value = Reflect.get(value, key);
  }
  return value === undefined;
}
