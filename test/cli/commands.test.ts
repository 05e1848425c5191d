import { setTimeout as pause } from "node:timers/promises";
import { afterAll, describe, expect, it, vi } from "vitest";
import type { z } from "zod";
import { serve } from "#local/serve.ts";
import { beginStream, frame } from "#test/sdk/support/event-server.ts";
import { sharedService } from "#test/support/shared-service.ts";
import { call, script } from "#test/support/task-client.ts";
import { jsonLines, newMachine } from "./support/machine.ts";
import { Failure, Lines } from "./support/schemas.ts";
import { programSession } from "./support/session.ts";

/** Tokens and keys of the test, which no output may have. */
const secrets: string[] = [];

const service = sharedService();
const owner = await service.signUp("owner");
const machine = await newMachine({ WORKSPACE_URL: service.url });
const session = await programSession(service, owner);
secrets.push(session.accessToken, session.refreshToken);
await machine.storeSession(service.url, session);
afterAll(async () => {
  await machine.close();
});

/** Runs a command with `--json`: each line fits the schema, and nothing but notes is on standard error. */
async function lines<T>(schema: z.ZodType<T>, ...args: string[]): Promise<T[]> {
  const ran = await machine.run([...args, "--json"]);
  expect({ args, ...ran }).toMatchObject({ args, code: 0 });
  return jsonLines(ran.stdout).map((each) => schema.parse(each));
}

/** As `lines`, for a command with one result. */
async function line<T>(schema: z.ZodType<T>, ...args: string[]): Promise<T> {
  const [only, ...others] = await lines(schema, ...args);
  if (only === undefined || others.length > 0) throw new Error(`${args.join(" ")} has not one result`);
  return only;
}

const writing = (file_path: string) =>
  script({ tools: [call("write_file", { file_path, content: "yes\n" })] }, { text: "Done." });

describe("with --json, every command prints lines of its schema", () => {
  it("for the account", async () => {
    expect(await line(Lines.whoami, "whoami")).toMatchObject({ kind: "session", user_id: owner.id });
    expect(await line(Lines.user, "api", "GET", "/api/users/me")).toMatchObject({ username: owner.username });
    expect(await line(Lines.usage, "usage")).toBeTruthy();
    await line(Lines.completion, "completion", "fish");
    expect(await line(Lines.open, "open", "docs")).toEqual({ url: `${service.url}/docs`, opened: false });
  });

  it("for projects", async () => {
    const made = await line(Lines.project, "projects", "create", "first app");
    expect((await lines(Lines.project, "projects")).map(({ id }) => id)).toContain(made.id);
    expect(await line(Lines.link, "link", made.slug)).toMatchObject({ project_id: made.id });
    expect(await line(Lines.project, "projects", "show")).toMatchObject({ id: made.id });
    expect(await line(Lines.unlink, "unlink")).toMatchObject({ project_id: made.id });
    await line(Lines.deletedProject, "projects", "delete", made.slug, "--yes");
  });

  it("for tasks, approvals, git and snapshots", async () => {
    const { slug, id } = await service.newProject(owner.token);
    await line(Lines.link, "link", slug);
    const events = await lines(Lines.event, "run", "-f", "--mode", "allow", writing("a.txt"));
    expect(events.map(({ type }) => type)).toContain("tool_result");
    expect(events.at(-1)).toMatchObject({ type: "done", status: "completed" });
    expect(await line(Lines.result, "run", script({ text: "Good morning." }))).toMatchObject({
      project_id: id,
      status: "completed",
      response: "Good morning.",
    });

    expect(await line(Lines.gitStatus, "git", "status")).toMatchObject({ changes: [{ file_path: "a.txt" }] });
    await line(Lines.gitDiff, "git", "diff");
    await line(Lines.committed, "git", "commit", "-m", "A file");
    expect(await lines(Lines.commit, "git", "log")).toMatchObject([{ title: "A file" }]);
    await line(Lines.switched, "git", "switch", "side", "-c");
    expect((await lines(Lines.branch, "git", "branches")).find(({ current }) => current)?.name).toBe("side");

    const saved = await line(Lines.snapshot, "snapshots", "create", "by hand");
    expect((await lines(Lines.snapshot, "snapshots")).map(({ hash }) => hash)).toContain(saved.hash);
    await line(Lines.restored, "snapshots", "restore", saved.hash.slice(0, 12), "-y");

    const started = await line(Lines.started, "run", "--detach", "--mode", "ask", writing("b.txt"));
    const follower = machine.start(["logs", "-f", started.task_id, "--json"]);
    await vi.waitFor(async () => {
      const { body } = await service.call<unknown[]>("GET", "/api/chat/agent/approvals", owner);
      expect(body).toHaveLength(1);
    });
    const approval = await line(Lines.approval, "approvals");
    expect(approval).toMatchObject({ task_id: started.task_id, tool: "write_file" });
    expect(await lines(Lines.task, "tasks", "--active")).toMatchObject([{ task_id: started.task_id }]);
    const { stdout: listed } = await machine.run(["tasks", "--active"]);
    expect(listed).toMatch(new RegExp(`${started.task_id} +needs your input`, "u"));
    expect(await lines(Lines.task, "tasks", "-p", slug)).toHaveLength(3);
    expect(await line(Lines.approval, "approvals", "show", approval.approval_id)).toMatchObject({
      parameters: { file_path: "b.txt" },
    });
    await line(Lines.answered, "approvals", "allow", approval.approval_id);
    expect(jsonLines((await follower.ended).stdout).at(-1)).toMatchObject({
      type: "done",
      status: "completed",
    });
    const again = await failing(1, ["approvals", "deny", approval.approval_id]);
    expect(again).toMatchObject({ code: "conflict", detail: expect.stringContaining("already answered") });

    const waiting = await line(Lines.started, "run", "--detach", "--mode", "ask", writing("c.txt"));
    const left = await machine.run(["logs", "-f", waiting.task_id, "--no-input"]);
    expect(left).toMatchObject({ code: 8, stderr: expect.stringContaining("workspace approvals allow") });
    await line(Lines.cancelled, "cancel", waiting.task_id);
    await line(Lines.unlink, "unlink");
  });

  it("for approvals of all projects where none is named", async () => {
    const { id } = await service.newProject(owner.token);
    const { task_id } = await line(
      Lines.started,
      "run",
      "--detach",
      "--mode",
      "ask",
      "-p",
      id,
      writing("d.txt"),
    );
    await expect.poll(() => lines(Lines.approval, "approvals")).toMatchObject([{ task_id }]);
    await line(Lines.cancelled, "cancel", task_id);
  });

  it("for keys and schedules", async () => {
    const { slug } = await service.newProject(owner.token);
    const { stdout } = await machine.run(["keys", "create", "ci", "-p", slug, "--expires", "30d", "--json"]);
    const made = Lines.key.extend({ key: Failure.shape.error.shape.code }).parse(JSON.parse(stdout));
    expect(made.key).toMatch(/^tsk_/u);
    expect((await lines(Lines.key, "keys")).find(({ id }) => id === made.id)).toMatchObject({
      is_active: true,
    });
    await line(Lines.revoked, "keys", "revoke", made.id, "-y");

    // On a day that does not come: a run of its own would be listed.
    const create = ["schedules", "create", "leap", "--when", "0 9 29 2 *", "-m", "Look", "-p", slug];
    const { id } = await line(Lines.schedule, ...create);
    expect((await lines(Lines.schedule, "schedules")).map((each) => each.id)).toContain(id);
    expect(await line(Lines.changed, "schedules", "pause", id)).toMatchObject({ status: "paused" });
    expect(await line(Lines.changed, "schedules", "resume", id)).toMatchObject({ status: "resumed" });
    expect(await lines(Lines.task, "schedules", "runs", id)).toEqual([]);
    await line(Lines.deleted, "schedules", "delete", id, "-y");
  });

  it("for MCP servers", async () => {
    const { id, slug } = await service.newProject(owner.token);
    const address = "https://mcp.invalid/mcp";
    const made = await line(Lines.mcpServer, "mcp", "add", "tracker", address, "--allow", "a,b*", "-p", slug);
    expect(made).toMatchObject({ scope: "project", state: "unreachable", tools: { allow: ["a", "b*"] } });
    expect(await lines(Lines.mcpServer, "mcp", "ls", "-p", slug)).toMatchObject([{ id: made.id }]);
    const failed = await failing(1, ["mcp", "test", "tracker"]);
    expect(failed).toMatchObject({ code: "mcp_server_failed", detail: "The server could not be reached" });
    await failing(2, ["mcp", "add", "other", address, "--token-env", "NO_SUCH_TOKEN"]);
    expect(await lines(Lines.stdioServer, "mcp", "stdio", "-p", slug)).toEqual([]);
    await failing(2, ["mcp", "allow", "none", "-p", slug, "-y"]);
    const content = JSON.stringify({
      mcpServers: { own: { command: "node", args: ["a  b", "${C}"], cwd: "./d/" } },
    });
    const file = { token: owner.token, json: { content } };
    await service.call("PUT", `/api/projects/${id}/files/.mcp.json`, file);
    const shown = await machine.run(["mcp", "stdio", "-p", slug]);
    expect(shown.stdout).toMatch(/node "a \\u0020b" \$\{C\} +d +C$/mu);
    await line(Lines.mcpServer, "mcp", "allow", "own", "-p", slug, "-y");
    await failing(2, ["mcp", "connect", "own", "--wait", "0"]);
    await line(Lines.deleted, "mcp", "rm", "tracker", "-y");
    await failing(2, ["mcp", "rm", "tracker", "-y"]);
  });
});

it("logs show a task that is over to its end, however slowly it comes", async () => {
  const slow = await serve(async ({ url = "" }, response) => {
    if (url.includes("/status/")) {
      response.writeHead(200, { "content-type": "application/json" }).end('{"status":"completed"}');
      return;
    }
    beginStream(response).write(frame(1, { type: "task_started", data: {} }));
    await pause(1_500);
    response.end(frame(2, { type: "done", status: "completed" }));
  });
  const environment = { WORKSPACE_API_KEY: "tsk_1", WORKSPACE_URL: slow.url };
  const ran = await machine.run(["logs", crypto.randomUUID(), "--json"], { environment });
  await slow.close();
  const events = jsonLines(ran.stdout).map((each) => Lines.event.parse(each));
  expect({ code: ran.code, types: events.map(({ type }) => type) }).toEqual({
    code: 0,
    types: ["task_started", "done"],
  });
});

/** Runs a command with `--json` that fails with a code: one line says why. */
const failing = async (code: number, args: readonly string[], environment: Record<string, string> = {}) => {
  const ran = await machine.run([...args, "--json"], { environment });
  expect({ args, ...ran }).toMatchObject({ args, code, stdout: "" });
  const [told, ...others] = jsonLines(ran.stderr).map((each) => Failure.parse(each));
  expect(others).toEqual([]);
  return told?.error;
};

describe("the exit code", () => {
  it("is 1 for a task that fails, and for a refused input", async () => {
    const { slug } = await service.newProject(owner.token);
    const failed = await machine.run(["run", "-p", slug, script({ error: { status: 400 } })]);
    expect(failed.code).toBe(1);
    expect(await failing(1, ["projects", "create", " "])).toMatchObject({ status: 422 });
  });

  it("is 2 for a command that is wrong, and tells what is", async () => {
    const wrong = [
      ["projects", "nope"],
      ["whoami", "--nope"],
      ["cancel"],
      ["run", "x", "--follow", "--detach"],
      ["run", "x"],
      ["keys", "revoke", "x"],
      ["api", "GET", "/x", "-H", "Authorization: Bearer x"],
    ];
    const told = await Promise.all(wrong.map((args) => failing(2, args)));
    expect(told.map((each) => each?.code)).toEqual(wrong.map(() => "usage"));
  });

  it("is 3 without a session, and with a key that is none", async () => {
    expect(await failing(3, ["whoami"], { XDG_CONFIG_HOME: "/nowhere" })).toMatchObject({
      code: "not_signed_in",
    });
    expect(await failing(3, ["projects"], { WORKSPACE_API_KEY: `tsk_${"0".repeat(32)}` })).toMatchObject({
      status: 401,
    });
  });

  it("is 4 for what the caller may not do", async () => {
    const { id } = await service.newProject(owner.token);
    const { key } = await service.newKey(owner.token, id);
    const other = await service.newProject(owner.token);
    expect(await failing(4, ["projects", "show", other.slug], { WORKSPACE_API_KEY: key })).toMatchObject({
      status: 403,
    });
  });

  it("is 5 for what is not there", async () => {
    expect(await failing(5, ["projects", "show", "nowhere"])).toMatchObject({
      status: 404,
      code: "not_found",
    });
    const told = await failing(5, ["api", "GET", "/api/nope"]);
    expect(told?.request_id).toMatch(/./u);
  });

  it("is 6 for a service that limits, which is not asked again in vain", async () => {
    let count = 0;
    const limited = await serve((_, response) => {
      count += 1;
      // Longer than a command waits.
      response.writeHead(429, { "content-type": "application/json", "retry-after": "3600" });
      response.end(JSON.stringify({ error: "rate_limited", detail: "Too many requests" }));
    });
    const environment = { WORKSPACE_API_KEY: "tsk_1", WORKSPACE_URL: limited.url };
    const ran = await machine.run(["projects"], { environment });
    await limited.close();
    expect(ran).toMatchObject({ code: 6, stderr: expect.stringContaining("Try again in 3600 s") });
    expect(count).toBe(1);
  });

  it("is 7 for a service that cannot be reached", async () => {
    const environment = { WORKSPACE_API_KEY: "tsk_1", WORKSPACE_URL: "http://127.0.0.1:1" };
    expect(await failing(7, ["api", "POST", "/api/projects", "-d", "{}"], environment)).toMatchObject({
      code: "unreachable",
    });
  });

  it("is 124 when the time is over, and the task goes on", async () => {
    const { slug } = await service.newProject(owner.token);
    const asking = script({ tools: [call("write_file", { file_path: "a", content: "b" })] });
    const ran = await machine.run(["run", "-p", slug, "--mode", "ask", "--timeout", "1s", asking]);
    expect(ran).toMatchObject({ code: 124, stdout: "" });
    expect(ran.stderr).toContain("workspace logs -f");
    expect(await lines(Lines.task, "tasks", "-p", slug)).toHaveLength(1);
  });
});

describe("pipes", () => {
  it("may be closed before the end", async () => {
    const running = machine.start(["completion", "bash"]);
    running.child.stdout?.destroy();
    expect(await running.ended).toMatchObject({ code: 0 });
  });

  it("give a message and a body by standard input", async () => {
    const { slug } = await service.newProject(owner.token);
    const input = script({ text: "From the pipe." });
    expect(await machine.run(["run", "-p", slug, "-"], { input })).toMatchObject({
      stdout: "From the pipe.\n",
    });
  });

  it("get no colours and no control sequences of others", async () => {
    const { slug } = await service.newProject(owner.token);
    const ran = await machine.run(["run", "-f", "-p", slug, script({ text: "\u001b]0;evil\u0007" })]);
    expect(ran.stdout).toBe("␛]0;evil␇\n");
    // oxlint-disable-next-line no-control-regex
    expect(ran.stdout + ran.stderr).not.toMatch(/[\u0000-\u0008\u000b-\u001f]/u);
  });
});

describe("a key", () => {
  it("runs tasks, lists them, and shows approvals but cannot answer them", async () => {
    const { id } = await service.newProject(owner.token);
    const { key } = await service.newKey(owner.token, id);
    secrets.push(key);
    const environment = { WORKSPACE_API_KEY: key };
    const ran = await machine.run(["run", "-f", script({ text: "By a key." })], { environment });
    expect(ran).toMatchObject({ code: 0, stdout: "By a key.\n" });
    const listed = await machine.run(["tasks", "--json"], { environment });
    const [task] = jsonLines(listed.stdout).map((each) => Lines.task.parse(each));
    expect((await machine.run(["logs", task?.task_id ?? ""], { environment })).stdout).toBe("By a key.\n");
    const refused = await machine.run(["approvals", "allow", crypto.randomUUID()], { environment });
    expect(refused).toMatchObject({ code: 3, stderr: expect.stringContaining("a person's sign-in") });
  });
});

describe("secrets", () => {
  it("are in no output, also with --debug and when the service refuses", async () => {
    for (const args of [["whoami"], ["api", "GET", "/api/nope"]]) {
      await machine.run([...args, "--debug"]);
    }
    expect(machine.written.join("")).toContain("GET /api/users/me 200");
    expect(secrets.length).toBeGreaterThan(2);
    for (const secret of secrets) expect(machine.written.join("\n").includes(secret)).toBe(false);
  });
});
