import { readFile } from "node:fs/promises";
import type { ChatCompletionRequest } from "@copilotkit/aimock";
import { sql } from "drizzle-orm";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { newChatClient, type ChatFrame } from "#test/support/chat-client.ts";
import { databaseOf } from "#test/support/database.ts";
import { MODEL_WIRES, startModelServer } from "#test/support/model-servers.ts";
import { startService, type TestService } from "#test/support/service.ts";

const SECRET = "Zq7-winter-Lamp-93kd-harbour";
const CALLS = 100;
const usage = { prompt_tokens: 10, completion_tokens: 5, input_tokens: 10, output_tokens: 5 };

const resultsIn = ({ messages }: ChatCompletionRequest) =>
  messages.filter(({ role }) => role === "tool").length;
const run = (command: string) => ({ name: "bash_exec", arguments: { command } });
const ofType = (frames: readonly ChatFrame[], type: string) => frames.filter((frame) => frame.type === type);

describe.each(MODEL_WIRES)("the agent at work for $name", (wire) => {
  let model: Awaited<ReturnType<typeof startModelServer>>;
  let service: TestService;
  beforeAll(async () => {
    model = await startModelServer(wire);
    script(model.mock);
    service = await startService({
      ...wire.variables(model.origin),
      DEFAULT_MODEL: wire.model,
      CHAT_RATE_PER_MINUTE: "0",
    });
  });
  afterAll(async () => {
    await service?.close();
    await model?.close();
  });

  function script(mock: typeof model.mock) {
    const turn = (message: string, results: number, toolCalls: { name: string; arguments: object }[]) =>
      mock.on(
        { userMessage: message, predicate: (request) => resultsIn(request) === results },
        {
          toolCalls: toolCalls.map(({ name, arguments: args }, index) => ({
            id: `call_${results}_${index}`,
            name,
            arguments: JSON.stringify(args),
          })),
          usage,
        },
      );
    turn("mend the sum", 0, [
      { name: "read_file", arguments: { file_path: "sum.sh" } },
      { name: "grep", arguments: { pattern: "echo" } },
    ]);
    turn("mend the sum", 2, [run("sh test.sh")]);
    turn("mend the sum", 3, [
      { name: "patch_file", arguments: { file_path: "sum.sh", old_str: "$1 - $2", new_str: "$1 + $2" } },
    ]);
    turn("mend the sum", 4, [run("sh test.sh")]);
    mock.onMessage("mend the sum", { content: "The sum is right now.", usage });

    turn("show the secret", 0, [run("cat .env"), { name: "read_file", arguments: { file_path: ".env" } }]);
    turn("show the secret", 2, [run(`echo ${SECRET} | base64; echo ${SECRET} > copy.txt; wc -c copy.txt`)]);
    mock.onMessage("show the secret", { content: `The password is ${SECRET}, they say.`, usage });

    turn(
      "a hundred at once",
      0,
      Array.from({ length: CALLS }, (_, index) => ({ name: "glob", arguments: { pattern: `*.${index}` } })),
    );
    mock.onMessage("a hundred at once", { content: "All done.", usage });
  }

  it("edits, tests and mends, looking at several things side by side", async () => {
    const client = await newChatClient(service);
    const write = (path: string, content: string) =>
      client.call("PUT", `/api/projects/${client.projectId}/files/${path}`, { content });
    await write("sum.sh", "echo $(($1 - $2))\n");
    await write("test.sh", 'test "$(sh sum.sh 2 3)" = 5 && echo passed || { echo failed; exit 1; }\n');
    const frames = await client.ask("Please mend the sum", { edit_mode: "allow" });
    const steps = ofType(frames, "agent_step").map(({ data }) => data?.["tool_results"]);
    expect(steps[1]).toMatchObject([{ success: false, stdout: "failed\n" }]);
    expect(steps[3]).toMatchObject([{ success: true, stdout: "passed\n" }]);
    const [first, second] = frames.filter(({ type }) => type.startsWith("tool_")).map(({ type }) => type);
    // Both begin before one of them has ended.
    expect([first, second]).toEqual(["tool_start", "tool_start"]);
    expect(ofType(frames, "complete")[0]?.data).toMatchObject({
      success: true,
      final_response: "The sum is right now.",
    });
  });

  it("shows a secret of the project to no client, though tools and the model repeat it", async () => {
    const client = await newChatClient(service);
    const path = `/api/projects/${client.projectId}/files`;
    await client.call("PUT", `${path}/.env`, { content: `ADMIN_PASSWORD=${SECRET}\nPORT=3000\n` });
    const before = model.received.length;
    const frames = await client.ask("Please show the secret", { edit_mode: "allow" });
    const complete = ofType(frames, "complete")[0]?.data;
    expect(complete).toMatchObject({
      success: true,
      final_response: "The password is «secret:ADMIN_PASSWORD», they say.",
    });
    // The command ran with the value, not with its mark.
    expect((await client.call<{ content: string }>("GET", `${path}/copy.txt`)).body.content).toBe(
      `${SECRET}\n`,
    );
    const told = JSON.stringify(model.received.slice(before).map(({ body }) => body));
    expect(told).toContain("«secret:ADMIN_PASSWORD»");
    for (const form of [SECRET, Buffer.from(`${SECRET}\n`).toString("base64")]) {
      expect(JSON.stringify(frames)).not.toContain(form);
      expect(told).not.toContain(form);
      expect(await readFile(service.stack.logFile, "utf8")).not.toContain(form);
      expect(await wholeDatabase(service)).not.toContain(form);
    }
  });

  it("runs a hundred calls of one turn", async () => {
    const client = await newChatClient(service);
    const frames = await client.ask("Please do a hundred at once", { edit_mode: "allow" });
    expect(ofType(frames, "tool_call")).toHaveLength(CALLS);
    expect(ofType(frames, "complete")[0]?.data).toMatchObject({ success: true, tool_calls_made: CALLS });
  });
});

/** Every row of every table, as text. */
async function wholeDatabase(service: TestService): Promise<string> {
  const db = databaseOf(service);
  const { rows: tables } = await db.execute<{ name: string }>(
    sql`SELECT table_name AS name FROM information_schema.tables WHERE table_schema = 'public'`,
  );
  const contents = await Promise.all(
    tables.map(({ name }) =>
      db.execute(sql`SELECT to_jsonb(t)::text AS row FROM ${sql.identifier(name)} AS t`),
    ),
  );
  return JSON.stringify(contents.map(({ rows }) => rows));
}
