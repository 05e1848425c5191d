import { headOf } from "./head-of.ts";

/** Of names in an object whose keys the caller chooses. */
const MAX_NAME = 60;

/** Names a field of a request in a sentence, `a.b.0`: no part is much longer than names are. */
export function fieldName(path: readonly PropertyKey[]): string {
  return path.map((part) => headOf(String(part), MAX_NAME)).join(".");
}
