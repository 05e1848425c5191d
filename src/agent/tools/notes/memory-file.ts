import type { AgentRuntime } from "#src/platform/runtime/project-runtime.ts";
import { readTextFile } from "../text-file.ts";
import type { ToolFailure } from "../tool.ts";
import { linkOnTheWay } from "./links.ts";

/** The agents' memory of a project: a Markdown file, one section per second-level heading. */
export const MEMORY_PATH = ".workspace/memory.md";

const TITLE = "# Memory";

export interface MemorySection {
  section: string;
  body: string;
}

export type Memory = { ok: true; sections: MemorySection[] } | { ok: false; failure: ToolFailure };

/**
 * Returns the sections of the project's memory; none where there is no file yet. A memory behind a symbolic link is
 * refused.
 */
export async function readMemory(runtime: AgentRuntime): Promise<Memory> {
  const link = await linkOnTheWay(runtime, MEMORY_PATH);
  if (link) return { ok: false, failure: link };
  const file = await readTextFile(runtime, MEMORY_PATH);
  if (file.ok) return { ok: true, sections: parse(file.text) };
  return file.failure["exists"] === false ? { ok: true, sections: [] } : file;
}

/** Call this after `readMemory`, which refuses links. */
export async function writeMemory(
  runtime: AgentRuntime,
  sections: readonly MemorySection[],
): Promise<{ sizeBytes: number }> {
  const bytes = new TextEncoder().encode(format(sections));
  await runtime.writeFile(MEMORY_PATH, bytes);
  return { sizeBytes: bytes.length };
}

/** Compares headings as people read them. */
export function isSection(one: string, other: string): boolean {
  return one.trim().toLowerCase() === other.trim().toLowerCase();
}

/** Text above the first heading, which a person may have written by hand, becomes a section without a name. */
function parse(text: string): MemorySection[] {
  const sections: { section: string; lines: string[] }[] = [{ section: "", lines: [] }];
  for (const line of text.split(/\r?\n/)) {
    const heading = /^## +(?<name>\S.*)$/.exec(line)?.groups?.["name"];
    if (heading === undefined) sections.at(-1)?.lines.push(line);
    else sections.push({ section: heading.trim(), lines: [] });
  }
  return sections
    .map(({ section, lines }) => ({ section, body: lines.join("\n").trim() }))
    .filter(({ section, body }) => section !== "" || (body !== "" && body !== TITLE));
}

function format(sections: readonly MemorySection[]): string {
  const hasOwnTitle = sections.some(({ section }) => section === "");
  const parts = sections.map(({ section, body }) => (section === "" ? body : `## ${section}\n\n${body}`));
  return `${[...(hasOwnTitle ? [] : [TITLE]), ...parts].join("\n\n").trimEnd()}\n`;
}
