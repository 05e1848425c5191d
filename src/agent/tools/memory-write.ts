import { z } from "zod";
import { isSection, MEMORY_PATH, readMemory, writeMemory, type MemorySection } from "./notes/memory-file.ts";
import { defineTool, failure } from "./tool.ts";

const MAX_BODY = 16_000;
const MAX_MEMORY = 128_000;

export const memoryWrite = defineTool({
  name: "memory_write",
  description:
    "Remember something about this project for later chats, under a heading: replace the section, or append to it. An " +
    "empty body with replace removes the section. Appending what already ends the section changes nothing. No secrets.",
  parameters: z.object({
    section: z
      .string()
      .trim()
      .min(1)
      .max(120)
      .regex(/^[^\r\n]+$/)
      .describe("Heading of the section; a new one is made when there is none"),
    body: z.string().max(MAX_BODY).describe("Markdown; its own headings begin with ### or more"),
    mode: z.enum(["replace", "append"]).default("replace").describe("What becomes of the present text"),
    scope: z.enum(["project"]).default("project").describe("Whose memory: the project's"),
  }),
  effect: "idempotent",
  scope: "file.write",
  dangerous: true,
  async run({ section, body, mode, scope }, { runtime }) {
    const text = body.trim();
    if (/^##? /m.test(text)) {
      return failure("The body has a heading that would begin a section of its own.", "Use ### or more.");
    }
    const memory = await readMemory(runtime);
    if (!memory.ok) return memory.failure;
    const next = changed(memory.sections, section, (present) =>
      mode === "replace" ? text : appended(present, text),
    );
    const chars = next.reduce((sum, each) => sum + each.section.length + each.body.length, 0);
    if (chars > MAX_MEMORY) {
      return failure(
        `The memory would have ${chars} characters, the limit is ${MAX_MEMORY}.`,
        "Shorten it first.",
      );
    }
    const isNew = JSON.stringify(next) !== JSON.stringify(memory.sections);
    if (isNew) await writeMemory(runtime, next);
    const body_now = next.find((each) => isSection(each.section, section))?.body;
    return {
      success: true,
      message: isNew ? `Wrote the section ${section}.` : `The section ${section} is like that already.`,
      scope,
      file_path: MEMORY_PATH,
      section,
      removed: body_now === undefined,
      details: { sections: next.length, section_chars: body_now?.length ?? 0 },
    };
  },
});

/** Returns the sections with this one changed, added at the end, or removed when its text is empty. */
function changed(
  sections: readonly MemorySection[],
  section: string,
  change: (present: string) => string,
): MemorySection[] {
  const at = sections.findIndex((each) => isSection(each.section, section));
  const present = sections[at] ?? { section, body: "" };
  const next = { ...present, body: change(present.body) };
  const place = at === -1 ? sections.length : at;
  return [...sections.slice(0, place), ...(next.body === "" ? [] : [next]), ...sections.slice(place + 1)];
}

/** Idempotent: a call that runs again after a crash must not append the text twice. */
function appended(present: string, text: string): string {
  if (present === "" || text === "") return present || text;
  return present === text || present.endsWith(`\n${text}`) ? present : `${present}\n${text}`;
}
