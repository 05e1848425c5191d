import { randomSuffix } from "./ids.ts";

/** Longest readable part of a slug, before its suffix. */
const MAX_LENGTH = 50;

/**
 * A name as part of an address: lowercase letters, digits and single hyphens, then six random characters. A name
 * without usable characters becomes `fallback`.
 */
export function slugOf(name: string, fallback: string): string {
  const readable = name
    .toLowerCase()
    .replaceAll(/[^a-z0-9 -]/gu, "")
    .replaceAll(/[ -]+/gu, "-")
    .replaceAll(/^-|-$/gu, "")
    .slice(0, MAX_LENGTH)
    .replace(/-$/u, "");
  return `${readable || fallback}-${randomSuffix(6)}`;
}
