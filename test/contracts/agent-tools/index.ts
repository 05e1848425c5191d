import { describe } from "vitest";
import { gitToolsContract } from "./git.ts";
import { notesContract } from "./notes.ts";
import { searchContract } from "./search.ts";
import type { OpenProject } from "./under-test.ts";

/** The contract of the agent's tools over a project's real files, on every runtime. Each test gets a project of its own. */
export function agentToolsContract(name: string, open: OpenProject): void {
  describe(`the agent's tools over ${name}`, () => {
    searchContract(open);
    gitToolsContract(open);
    notesContract(open);
  });
}
