import { randomBytes, randomInt } from "node:crypto";
import type { Estate } from "#test/surface/estate.ts";
import { addressOf, exampleOf, smallestBody, type Samples } from "#test/surface/estate.ts";
import {
  bodySchemaOf,
  resolve,
  type Document,
  type JsonSchema,
  type Operation,
} from "#test/surface/operations.ts";
import { fieldsOf } from "#test/support/fields.ts";

/** A place of a request that names something: a parameter of the path or the query, or a field of the body, however deep. */
export interface Slot {
  in: "path" | "query" | "body";
  name: string;
  /** Names of the fields on the way to it; `[]` stands for an element of a list. */
  trail: readonly string[];
  schema: JsonSchema;
}

/** What is sent: the address and the body. */
export interface Wording {
  address: string;
  json: Readonly<Record<string, unknown>> | undefined;
}

/**
 * Not names of what exists: those that callers give to what is their own (that a name is taken is told to every caller, by
 * 409), a vendor's name of a model, and a token, which is a secret that admits its holder.
 */
const NO_NAMES = new Set(["slug", "handle", "model_id", "token"]);

const ID_NAME = /(^|_)(ids?|hash)$/u;
const MAX_DEPTH = 6;

/** Every place of an operation that may name something which exists. */
export function slotsOf(document: Document, operation: Operation): Slot[] {
  // Headers name nothing that exists: the ids there are numbers, and names of requests.
  const parameters = operation.parameters.flatMap((each): Slot[] =>
    each.in === "header" ? [] : [{ ...each, in: each.in, trail: [] }],
  );
  const schema = bodySchemaOf(document, operation);
  return [...parameters, ...(schema ? slotsIn(document, schema, []) : [])].filter(
    ({ name }) => !NO_NAMES.has(name),
  );
}

function slotsIn(document: Document, schema: JsonSchema, trail: readonly string[]): Slot[] {
  if (trail.length > MAX_DEPTH) return [];
  const { anyOf, properties, items, type } = resolve(document, schema);
  if (Array.isArray(anyOf)) return anyOf.flatMap((each) => slotsIn(document, fieldsOf(each), trail));
  if (properties) {
    return Object.entries(properties).flatMap(([name, each]) =>
      slotsIn(document, fieldsOf(each), [...trail, name]),
    );
  }
  if (items) return slotsIn(document, fieldsOf(items), [...trail, "[]"]);
  const isText = [type].flat().includes("string");
  const name = trail.findLast((each) => each !== "[]") ?? "";
  return isText && trail.length > 0 ? [{ in: "body", name, trail, schema }] : [];
}

/** UUIDs, hashes, tokens, and names that end in something random. */
const RANDOM = /[0-9a-f]{8}-|^[0-9a-f]{32,}$|^[\w-]{20,}$|-[0-9a-z]{6,8}$/u;

/** The names of an estate's resources, by the name of the parameter that takes them. */
export function namesOf({ samples, owner }: Estate): Record<string, string> {
  const own = Object.entries(samples).filter(
    (each): each is [string, string] =>
      typeof each[1] === "string" && RANDOM.test(each[1]) && !NO_NAMES.has(each[0]),
  );
  return { ...Object.fromEntries(own), owner: owner.id };
}

/** Sent where the name of a slot says that it is an id, but not of which kind. */
const ANY_KIND = ["project", "chat", "owner"];

/** The victim's names that a slot may take: those of its kind, or of several where it does not say which. */
export function namesFor({ name, schema }: Slot, names: Readonly<Record<string, string>>): string[] {
  const stem = name.replace(/_(ids?|hash)$/u, "").replace(/^target_?/u, "");
  const kinds = [name, stem, `${stem}_id`, stem === "" ? "hash" : ""];
  const known = kinds.flatMap((kind) => names[kind] ?? []);
  if (kinds.includes("project")) known.push(...[names["project_slug"] ?? []].flat());
  const isId = ID_NAME.test(name) || schema["format"] === "uuid";
  return [...new Set(known.length === 0 && isId ? ANY_KIND.flatMap((kind) => names[kind] ?? []) : known)];
}

/** A name of the same form that no resource has. */
export function unusedLike(name: string): string {
  if (/^[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}$/u.test(name)) return crypto.randomUUID();
  if (/^[0-9a-f]{32,}$/u.test(name)) return randomBytes(name.length / 2).toString("hex");
  return name.replaceAll(/[a-z0-9]/giu, () => randomInt(36).toString(36));
}

/** The caller's own request, with something else in one place. */
export function worded(
  document: Document,
  operation: Operation,
  samples: Samples,
  { slot, value }: { slot?: Slot; value?: string } = {},
): Wording {
  const json = smallestBody(document, operation, samples);
  if (!slot || value === undefined) return { address: addressOf(operation, samples), json };
  if (slot.in === "path") return { address: addressOf(operation, { ...samples, [slot.name]: value }), json };
  const address = addressOf(operation, samples);
  if (slot.in === "body") {
    const schema = bodySchemaOf(document, operation) ?? {};
    return { address, json: fieldsOf(placed(document, schema, samples, slot.trail, value, json)) };
  }
  const [path = "", query] = address.split("?");
  const all = new URLSearchParams(query);
  all.set(slot.name, value);
  return { address: `${path}?${all}`, json };
}

/** An example of the schema with `value` at the end of the trail. */
function placed(
  document: Document,
  schema: JsonSchema,
  samples: Samples,
  [step, ...rest]: readonly string[],
  value: string,
  around: unknown,
): unknown {
  if (step === undefined) return value;
  const { anyOf, properties, items } = resolve(document, schema);
  if (Array.isArray(anyOf)) {
    const fitting = anyOf.find((each) => {
      const own = resolve(document, fieldsOf(each));
      return step === "[]" ? "items" in own : step in fieldsOf(own["properties"] ?? {});
    });
    return placed(document, fieldsOf(fitting ?? {}), samples, [step, ...rest], value, around);
  }
  if (step === "[]") return [placed(document, fieldsOf(items ?? {}), samples, rest, value, undefined)];
  const fields = fieldsOf(around ?? exampleOf(document, schema, samples));
  return {
    ...fields,
    [step]: placed(
      document,
      fieldsOf(fieldsOf(properties ?? {})[step] ?? {}),
      samples,
      rest,
      value,
      undefined,
    ),
  };
}
