import { cut, oneLine } from "./one-line.ts";

/** Of names in an object whose keys the caller chooses. */
const MAX_NAME = 60;

/** Names a field of a request in a sentence, `a.b.0`: each part in one line, and not much longer than names are. */
export function fieldName(path: readonly PropertyKey[]): string {
  return path.map((part) => cut(oneLine(String(part)), MAX_NAME)).join(".");
}
