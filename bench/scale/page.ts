import { readFileSync } from "node:fs";
import path from "node:path";
import { readMeasured } from "./measured.ts";
import { computedParts } from "./tables.ts";

export const PAGE_FILE = path.join(import.meta.dirname, "../../docs/scale.md");

/** The beginning of a computed part of the page; the next `<!-- end -->` ends it. */
const PART = /<!-- computed: (?<name>[\w-]+) -->\n[\s\S]*?<!-- end -->/gu;

/**
 * The current content of docs/scale.md, and the computed one. Throws for a missing part, and for one that is not
 * computed.
 */
export function readPage(): { is: string; shouldBe: string } {
  const is = readFileSync(PAGE_FILE, "utf8");
  const parts = new Map(computedParts(readMeasured()));
  const shouldBe = is.replace(PART, (_, name: string) => {
    const part = parts.get(name);
    if (part === undefined) throw new Error(`docs/scale.md: nothing computes ${name}, or it is there twice`);
    parts.delete(name);
    return `<!-- computed: ${name} -->\n\n${part}\n\n<!-- end -->`;
  });
  const [missing] = parts.keys();
  if (missing !== undefined) throw new Error(`docs/scale.md: no place for ${missing}`);
  return { is, shouldBe };
}
