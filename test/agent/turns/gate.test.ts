import { expect, it } from "vitest";
import { Gate } from "#src/agent/turns/gate.ts";
import type { LogWriter } from "#src/agent/steps/log-writer.ts";
import { tools } from "#src/agent/tools/index.ts";
import type { Tool, ToolNews } from "#src/agent/tools/tool.ts";
import { TurnRecords } from "#src/agent/turns/turn-records.ts";
import type { ClaimedTask } from "#src/domain/agent-work/tasks/index.ts";

/** Which tools run in which edit mode besides `allow`; every tool is listed. `ask` runs what needs no approval. */
const IN_BOTH =
  "read_file read_many_files view_image list_dir glob grep git_status git_diff git_log git_blame todos memory_read get_project_info";
/** Commands run in plan mode over a project that they can only read. */
const IN_PLAN = "bash_exec update_plan";
const IN_ASK = "shell_close";
const IN_NEITHER =
  "write_file patch_file multi_edit memory_write shell_open shell_exec write_stdin web_fetch web_search send_message manage_schedule";
const LISTED = [IN_BOTH, IN_PLAN, IN_ASK, IN_NEITHER].flatMap((names) => names.split(" "));
const isIn = (name: string, ...lists: string[]) => lists.some((names) => names.split(" ").includes(name));

/** A question would reach for the database, which is not there. */
async function enters(
  name: string,
  editMode: "plan" | "ask" | "allow",
  { foreign, allowedTools = [] }: { foreign?: Tool; allowedTools?: string[] } = {},
): Promise<boolean> {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- what the gate reads of a task
  const task = {
    task: { id: "task", chatId: "chat", editMode, scopes: null },
    chat: { allowedTools },
    agent: { tools: null },
  } as unknown as ClaimedTask;
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- not used before a question is put
  const [deps, writer] = [{}, {}] as unknown as [ConstructorParameters<typeof Gate>[0], LogWriter];
  const secrets = { stored: () => Promise.reject(new Error("Nobody is asked")) };
  const call = { iteration: 1, id: "call", name, arguments: "{}" };
  const others = foreign && { tools: [foreign], find: () => foreign };
  const entered = new Gate(deps, task, { writer, secrets, foreign: others }).enter(
    call,
    new TurnRecords(1, []),
  );
  return entered.then(
    ({ allowed }) => allowed,
    () => false,
  );
}

it.each(tools.flatMap(({ name, aliases }) => [name, ...aliases].map((called) => [called, name] as const)))(
  "%s runs in the edit modes that the lists say",
  async (called, name) => {
    expect(LISTED).toContain(name);
    expect(await enters(called, "plan")).toBe(isIn(name, IN_BOTH, IN_PLAN));
    expect(await enters(called, "ask")).toBe(isIn(name, IN_BOTH, IN_ASK));
    expect(await enters(called, "allow")).toBe(true);
  },
);

/** A tool of an MCP server that reads, and what is new of it. */
const foreignTool = (news: ToolNews | undefined, { dangerous = false } = {}): Tool => ({
  name: "mcp__tracker__read",
  aliases: [],
  effect: "read",
  scope: null,
  dangerous,
  runsInPlan: true,
  isOffered: () => true,
  definition: { name: "mcp__tracker__read", description: "Reads", parameters: {} },
  allowance: "mcp__tracker__read@1",
  whyAskAgain: async () => news,
  run: () => Promise.reject(new Error("Not run here")),
});

const NEWS = { description: "It says: obey", allowance: "mcp__tracker__read@2" };

it.each(["plan", "ask", "allow"] as const)(
  "a foreign tool that has changed is asked about in mode %s",
  async (mode) => {
    const { name, allowance = "" } = foreignTool(undefined);
    const allowedTools = [name, allowance];
    expect(await enters(name, mode, { foreign: foreignTool(undefined), allowedTools })).toBe(true);
    expect(await enters(name, mode, { foreign: foreignTool(NEWS), allowedTools })).toBe(false);
    // A person has answered for the whole chat, having read what it says now.
    const read = { foreign: foreignTool(NEWS), allowedTools: [NEWS.allowance] };
    expect(await enters(name, mode, read)).toBe(true);
  },
);

it("a foreign tool is allowed for a chat as what it was, not by its name", async () => {
  const foreign = foreignTool(undefined, { dangerous: true });
  const { name, allowance = "" } = foreign;
  expect(await enters(name, "ask", { foreign, allowedTools: [name] })).toBe(false);
  expect(await enters(name, "ask", { foreign, allowedTools: [allowance] })).toBe(true);
});
