import { z } from "zod";

/** Variables arrive as text; an empty one counts as absent, so that a default applies. */
export const text = (schema: z.ZodString = z.string()) => optional(schema);
export const optional = <T extends z.ZodType>(schema: T) =>
  z.preprocess((value) => (value === "" ? undefined : value), schema.optional());
export const withDefault = <T extends z.ZodType>(schema: T, fallback: z.output<T>) =>
  z.preprocess((value) => (value === "" || value === undefined ? fallback : value), schema);
export const integer = (fallback: number, min: number, max = Number.MAX_SAFE_INTEGER) =>
  withDefault(
    z.coerce
      .number("must be a number")
      .int("must be a whole number")
      .min(min, `must be at least ${min}`)
      .max(max, `must be at most ${max}`),
    fallback,
  );
export const trueOrFalse = z.union(
  [z.boolean(), z.enum(["true", "false"]).transform((value) => value === "true")],
  "must be true or false",
);
export const flag = (fallback: boolean) => withDefault(trueOrFalse, fallback);
/** A Fernet key is 32 bytes as base64url. Any other text is hashed to a key, so it must itself be hard to guess. */
export const encryptionKey = () =>
  optional(z.string().min(32, "must be a Fernet key (32 bytes as base64url) or have at least 32 characters"));
/** Origins as browsers send them, comma-separated. */
export const origins = optional(
  z
    .string()
    .transform((list) => list.split(",").map((each) => each.trim()))
    .refine(
      (list) => list.every((each) => /^https?:/u.test(each) && URL.parse(each)?.origin === each),
      "must be origins such as https://console.example, without a path, separated by commas",
    ),
);
export const httpUrl = z.url({ protocol: /^https?$/u, error: "must be an http:// or https:// address" });
