import { z } from "zod";
import { isSection, MEMORY_PATH, readMemory } from "./notes/memory-file.ts";
import { defineTool, failure } from "./tool.ts";

export const memoryRead = defineTool({
  name: "memory_read",
  description:
    "Read what you or others wished to remember about this project: decisions, conventions, what went wrong before. " +
    "Without a section you get everything.",
  parameters: z.object({
    section: z.string().min(1).max(120).optional().describe("Heading of the section to read"),
    scope: z.enum(["project"]).default("project").describe("Whose memory: the project's"),
  }),
  effect: "read",
  scope: "file.read",
  async run({ section, scope }, { runtime }) {
    const memory = await readMemory(runtime);
    if (!memory.ok) return memory.failure;
    const names = memory.sections.map((each) => each.section).filter((name) => name !== "");
    if (section === undefined) {
      const message =
        names.length === 0 ? "The memory is empty." : `The memory has ${names.length} sections.`;
      const content = memory.sections
        .map((each) => (each.section === "" ? each.body : `## ${each.section}\n\n${each.body}`))
        .join("\n\n");
      return { success: true, message, scope, file_path: MEMORY_PATH, sections: names, content };
    }
    const found = memory.sections.find((each) => isSection(each.section, section));
    if (!found) return failure(`The memory has no section ${section}.`, undefined, { sections: names });
    return {
      success: true,
      message: `Read the section ${found.section}.`,
      scope,
      file_path: MEMORY_PATH,
      section: found.section,
      content: found.body,
    };
  },
});
