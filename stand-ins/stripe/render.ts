import { z } from "zod";
import { invalidParameter } from "./api-error.ts";
import type { ObjectStore } from "./store.ts";

const MAX_DEPTH = 4;

/** Fields that an object has only where `expand` names them; they are kept as notes. */
const INCLUDED: Readonly<Record<string, readonly string[]>> = {
  "checkout.session": ["line_items"],
  invoice: ["payments"],
  charge: ["refunds"],
};

/** The name of the note that keeps such a field. */
export function includedNote(field: string): string {
  return `include ${field}`;
}

/** A copy of an object with what `expand` names in place of ids. https://docs.stripe.com/expand */
export function render(store: ObjectStore, object: object, expand: readonly string[] = []): object {
  const copy = structuredClone(object);
  for (const path of expand) {
    const fields = path.split(".");
    if (fields.length > MAX_DEPTH) {
      throw invalidParameter(`You cannot expand more than ${MAX_DEPTH} levels of a property`, "expand");
    }
    expandPath(store, copy, fields, path);
  }
  return copy;
}

function expandPath(store: ObjectStore, holder: object, [field = "", ...rest]: string[], path: string): void {
  const value = Reflect.get(holder, field) ?? included(store, holder, field);
  if (value === undefined || typeof value === "number" || typeof value === "boolean") {
    throw invalidParameter(`This property cannot be expanded (${path}).`, "expand");
  }
  if (value === null) return;
  const expanded = typeof value === "string" ? referenced(store, value, path) : value;
  Reflect.set(holder, field, expanded);
  if (rest.length === 0) return;
  for (const next of Array.isArray(expanded) ? expanded : [expanded]) {
    if (next instanceof Object) expandPath(store, next, rest, path);
  }
}

function referenced(store: ObjectStore, id: string, path: string): object {
  const found = store.findAny(id);
  if (!found) throw invalidParameter(`This property cannot be expanded (${path}).`, "expand");
  return structuredClone(found);
}

function included(store: ObjectStore, holder: object, field: string): unknown {
  const { id, object } = Reference.safeParse(holder).data ?? {};
  if (id === undefined || object === undefined || !INCLUDED[object]?.includes(field)) return undefined;
  return store.note(id, includedNote(field), z.unknown()) ?? null;
}

const Reference = z.object({ id: z.string(), object: z.string() });
