import { afterAll, afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { startFaultProxy } from "#test/support/fault-proxy.ts";
import { sharedService } from "#test/support/shared-service.ts";
import { call, script } from "#test/support/task-client.ts";
import { newMachine } from "./support/machine.ts";
import { machineOf, programSession } from "./support/session.ts";
import { CTRL_C, onTerminal } from "./support/terminal.ts";

let project: { id: string; slug: string };
const service = sharedService();
const person = await service.signUp();
const machine = await machineOf(service, person);
afterAll(async () => {
  await machine.close();
});
beforeEach(async () => {
  project = await service.newProject(person.token);
});
afterEach(async () => {
  await service.call("DELETE", `/api/projects/${project.id}`, { token: person.token });
});

const write = (name: string) => call("write_file", { file_path: name, content: `content of ${name}\n` });
const follow = (message: string) =>
  onTerminal(machine, ["run", "-f", "--mode", "ask", "-p", project.slug, message]);
const hasFile = async (name: string) =>
  (await service.call("GET", `/api/projects/${project.id}/files/${name}`, { token: person.token })).status ===
  200;
const taskIn = (shown: string) => /[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/u.exec(shown)?.[0] ?? "";

describe("run --follow on a terminal", () => {
  it("asks for an approval, and shows the call, its outcome and the edit", async () => {
    const turns = [{ text: "I write.", tools: [write("a.txt")] }, { tools: [write("b.txt")] }];
    const terminal = follow(script(...turns, { text: "Written." }));
    expect(await terminal.until("deny")).toMatch(/write_file.+wants to run/su);
    expect(terminal.shown()).toContain("content of a.txt");
    // Always: the second call is not asked for.
    terminal.type("a");
    expect(await terminal.ended).toBe(0);
    expect(terminal.shown().match(/wants to run/gu)).toHaveLength(1);
    expect(terminal.shown()).toMatch(
      /I write\.[^]*✓ allowed[^]*✓ .*write_file a\.txt[^]*\+content of a\.txt[^]*Written\./u,
    );
    expect(await hasFile("a.txt")).toBe(true);
  });

  it("gives an answer again whose connection broke", async () => {
    const proxy = await startFaultProxy();
    const away = await newMachine({ WORKSPACE_URL: proxy.before(service.url) });
    await away.storeSession(proxy.before(service.url), await programSession(service, person));
    const message = script({ tools: [write("lost.txt")] }, { text: "Written." });
    const terminal = onTerminal(away, ["run", "-f", "--mode", "ask", "-p", project.slug, message]);
    await terminal.until("deny");
    proxy.fail("lose", /\/agent\/approval\n/u, 1);
    terminal.type("y");
    expect(await terminal.ended).toBe(0);
    expect(terminal.shown()).not.toContain("Error");
    expect(await hasFile("lost.txt")).toBe(true);
    await proxy.close();
    await away.close();
  });

  it("leaves with Ctrl-C, also at a question, and says how to come back", async () => {
    const terminal = follow(script({ tools: [write("g.txt")] }, { text: "Later." }));
    await terminal.until("deny");
    terminal.type(CTRL_C);
    expect(await terminal.ended).toBe(130);
    expect(terminal.shown()).toContain("workspace logs -f");
    const back = onTerminal(machine, ["logs", "-f", taskIn(terminal.shown())]);
    await back.until("deny");
    back.type("y");
    expect(await back.ended).toBe(0);
    expect(back.shown()).toContain("Later.");
  });

  it("stops the task with Ctrl-C twice", async () => {
    const terminal = follow(script({ text: "word ".repeat(500), delay_ms: 200 }));
    await terminal.until("word");
    terminal.type(CTRL_C);
    // Not after a look at the screen: two seconds later the first one has counted.
    await vi.waitFor(
      () => {
        terminal.type(CTRL_C);
        expect(terminal.shown()).toMatch(/Ctrl-C again[^]*Stopping the task/u);
      },
      { interval: 20 },
    );
    expect(await terminal.ended).toBe(130);
    const after = await machine.run(["logs", "-f", taskIn(terminal.shown())]);
    expect(after).toMatchObject({ code: 1, stderr: expect.stringContaining("was stopped") });
  });
});
