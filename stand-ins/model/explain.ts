import { z } from "zod";
import { safeParseJson } from "#src/lib/parse-json.ts";
import type { Wished } from "./starters.ts";

const ASKS = /\bfiles of this project\b[\s\S]*\bexplain\b/iu;
const PARAGRAPH_CHARS = 400;
/** Kinds of files by the end of their names; others are named by it. */
const KINDS: Readonly<Record<string, string>> = {
  md: "Markdown",
  html: "HTML",
  css: "CSS",
  js: "JavaScript",
  ts: "TypeScript",
  py: "Python",
  json: "JSON",
  sh: "shell",
  ...Object.fromEntries(["png", "jpg", "jpeg", "gif", "svg", "webp"].map((end) => [end, "images"])),
};
const NAMED_KINDS = 4;

/** Whether a message asks to explain the project, as the console offers it. */
export const asksToExplain = (prompt: string): boolean => ASKS.test(prompt);

/** The next call of an explanation, or its text: `results` are those of the calls so far. */
export function explain(results: readonly string[]): Wished | string {
  const [listing, read] = results;
  if (listing === undefined) return ["list_dir", { path: ".", depth: 16, limit: 500 }];
  const paths = pathsIn(listing);
  const readme = paths.find((path) => /^readme(\.[a-z]+)?$/iu.test(path));
  if (readme !== undefined && read === undefined) return ["read_file", { path: readme }];
  const paragraph = readme !== undefined && firstParagraph(contentIn(read ?? ""));
  const end =
    "I am the demo model: I read, but I do not think. Add a provider key for a model that explains.";
  return [
    summaryOf(paths, { isCut: listing.includes('"has_more":true') }),
    ...(paragraph ? [`[${readme}](${readme}) says what it is:`, `> ${paragraph}`] : []),
    ...(readme !== undefined && !paragraph ? [`Begin with [${readme}](${readme}).`] : []),
    end,
  ].join("\n\n");
}

/** Found by their shape: a long result is cut in its middle, and is no JSON then. */
function pathsIn(listing: string): string[] {
  const found = listing.matchAll(/"path":("(?:[^"\\]|\\.)*"),"type":"file"/gu);
  return [...found].flatMap(([, json = ""]) => safeParseJson(json, z.string())?.value ?? []);
}

function summaryOf(paths: readonly string[], { isCut }: { isCut: boolean }): string {
  if (paths.length === 0) return "This project has no files yet.";
  const counts = new Map<string, number>();
  for (const path of paths) {
    const end = /[^/]\.([a-z\d]{1,8})$/iu.exec(path)?.[1]?.toLowerCase();
    const kind = end === undefined ? "other" : (KINDS[end] ?? `.${end}`);
    counts.set(kind, (counts.get(kind) ?? 0) + 1);
  }
  const kinds = [...counts].toSorted(([, one], [, other]) => other - one);
  const named = kinds.slice(0, NAMED_KINDS).map(([kind, count]) => `${kind} (${count})`);
  const rest = kinds.slice(NAMED_KINDS).reduce((sum, [, count]) => sum + count, 0);
  const parts = [...named, ...(rest > 0 ? [`more (${rest})`] : [])];
  const list = [parts.slice(0, -1).join(", "), ...parts.slice(-1)]
    .filter((part) => part !== "")
    .join(" and ");
  const files = paths.length === 1 ? "1 file" : `${paths.length} files`;
  return `This project has ${isCut ? "more than " : ""}${files}: ${list}.`;
}

/** A short text of one line is a field among others, a longer one a block. */
function contentIn(result: string): string {
  const short = /"content":("(?:[^"\\]|\\.)*")/u.exec(result)?.[1];
  const [, block = ""] = /<content>\n([\s\S]*)\n<\/content>/u.exec(result) ?? [];
  return block || (safeParseJson(short ?? "", z.string())?.value ?? "");
}

/** The first paragraph that is no heading, badge, list or code; the empty string if there is none. */
function firstParagraph(readme: string): string {
  const plain = readme
    .replaceAll("\r", "")
    .replaceAll(/^```[\s\S]*?^```/gmu, "")
    .replaceAll(/<!--[\s\S]*?-->|<[^>]*>/gu, "")
    .replaceAll(/!\[[^\]]*\]\([^)]*\)/gu, "")
    .replaceAll(/\[([^\]]*)\]\([^)]*\)/gu, "$1")
    .replaceAll(/^#.*$|^.*\n[=-]{2,}[ \t]*$/gmu, "");
  const paragraphs = plain.split(/\n\s*\n/u).map((each) => each.replaceAll(/\s+/gu, " ").trim());
  const found =
    paragraphs.find((each) => /\p{L}/u.test(each) && !/^(?:[-*+] |\d+[.)] |[>|])/u.test(each)) ?? "";
  return found.length <= PARAGRAPH_CHARS ? found : `${found.slice(0, PARAGRAPH_CHARS)}…`;
}
