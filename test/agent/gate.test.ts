import { expect, it } from "vitest";
import { Gate } from "#src/agent/gate.ts";
import type { LogWriter } from "#src/agent/log-writer.ts";
import { tools } from "#src/agent/tools/index.ts";
import { TurnRecords } from "#src/agent/turn-records.ts";
import type { ClaimedTask } from "#src/domain/agent-work/tasks/index.ts";

/** Which tools run in which edit mode; every tool is listed. `ask` runs what needs no approval. */
const MODES: Record<string, { plan: boolean; ask: boolean }> = {
  read_file: { plan: true, ask: true },
  write_file: { plan: false, ask: false },
  patch_file: { plan: false, ask: false },
  multi_edit: { plan: false, ask: false },
  read_many_files: { plan: true, ask: true },
  view_image: { plan: true, ask: true },
  list_dir: { plan: true, ask: true },
  glob: { plan: true, ask: true },
  grep: { plan: true, ask: true },
  // In plan mode over a project that it can only read.
  bash_exec: { plan: true, ask: false },
  git_status: { plan: true, ask: true },
  git_diff: { plan: true, ask: true },
  git_log: { plan: true, ask: true },
  git_blame: { plan: true, ask: true },
  todos: { plan: true, ask: true },
  update_plan: { plan: true, ask: false },
  memory_read: { plan: true, ask: true },
  memory_write: { plan: false, ask: false },
  get_project_info: { plan: true, ask: true },
  shell_open: { plan: false, ask: false },
  shell_exec: { plan: false, ask: false },
  write_stdin: { plan: false, ask: false },
  shell_close: { plan: false, ask: true },
  web_fetch: { plan: false, ask: false },
  web_search: { plan: false, ask: false },
  send_message: { plan: false, ask: false },
  manage_schedule: { plan: false, ask: false },
};

/** A question would reach for the database, which is not there. */
async function enters(name: string, editMode: "plan" | "ask" | "allow"): Promise<boolean> {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- what the gate reads of a task
  const task = {
    task: { id: "task", chatId: "chat", editMode, scopes: null },
    chat: { allowedTools: [] },
    agent: { tools: null },
  } as unknown as ClaimedTask;
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- not used before a question is put
  const [deps, writer] = [{}, {}] as unknown as [ConstructorParameters<typeof Gate>[0], LogWriter];
  const secrets = { stored: () => Promise.reject(new Error("Nobody is asked")) };
  const call = { iteration: 1, id: "call", name, arguments: "{}" };
  const entered = new Gate(deps, task, { writer, secrets }).enter(call, new TurnRecords(1, []));
  return entered.then(
    ({ allowed }) => allowed,
    () => false,
  );
}

it.each(tools.flatMap(({ name, aliases }) => [name, ...aliases].map((called) => [called, name] as const)))(
  "%s runs in the edit modes that the table says",
  async (called, name) => {
    expect({ plan: await enters(called, "plan"), ask: await enters(called, "ask") }).toEqual(MODES[name]);
    expect(await enters(called, "allow")).toBe(true);
  },
);
