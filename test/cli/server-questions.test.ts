import { afterAll, beforeAll, expect, it, vi } from "vitest";
import { askInTurn, FORM } from "#test/support/asking-server.ts";
import { newMcpOwner } from "#test/support/mcp-servers.ts";
import { plainTool, startMcpStub } from "#test/support/mcp-stub.ts";
import { otherSharedService } from "#test/support/shared-service.ts";
import { call, script } from "#test/support/task-client.ts";
import { machineOf } from "./support/session.ts";
import { CTRL_C, onTerminal, SAME_SETTINGS } from "./support/terminal.ts";

const service = await otherSharedService("eager");
const person = await service.signUp();
const machine = await machineOf(service, person);
const stub = await startMcpStub([plainTool("deploy")]);
const project = await service.newProject(person.token);
beforeAll(() => newMcpOwner(service, person.token).add({ name: "asking", url: stub.url }));
afterAll(() => Promise.all([machine.close(), stub.close()]));

const message = script({ tools: [call("mcp__asking__deploy", {})] }, { text: "Deployed." });
const run = ["run", "-f", "--mode", "allow", "-p", project.slug, message];
const [ENTER, UP, DOWN] = ["\r", "\u001B[A", "\u001B[B"];
/** The field when it is asked for, which the list of all fields names before. */
const REGION = /◆[^\n]*Region: As the provider names it/u;
const CTRL_D = "\u0004";
const given = () =>
  stub.requests.findLast(({ params }) => "inputResponses" in params)?.params["inputResponses"];
const form = () => {
  askInTurn(stub, [FORM]);
  return onTerminal(machine, run);
};

it("asks at a terminal what a server asks, field by field, and again what does not fit", async () => {
  const terminal = form();
  expect(await terminal.until("Give no answer")).toContain("Where is it deployed?");
  expect(terminal.shown()).toContain("Never give secrets");
  terminal.type(ENTER);
  await terminal.until(REGION);
  terminal.type(ENTER);
  await terminal.until("An answer is required");
  terminal.type(`x${ENTER}`);
  await terminal.until("replicas (optional)");
  terminal.type(ENTER);
  await terminal.until("Public (optional)");
  terminal.type("y");
  await terminal.until("size (optional)");
  terminal.type(`${UP}${ENTER}`);
  await terminal.until('"Region" must be 2');
  const again = () => terminal.shown().split('"Region" must be 2')[1];
  const next = (words: string) => expect.poll(again).toContain(words);
  await next("Give no answer");
  terminal.type(ENTER);
  await next("Region: As the provider names it");
  terminal.type(`x${ENTER}`);
  for (const words of ["replicas (optional)", "Public (optional)", "size (optional)"]) {
    await next(words);
    terminal.type(ENTER);
  }
  expect(await terminal.ended).toBe(0);
  const content = { region: "xx", replicas: 2, isPublic: true, size: "l" };
  expect(given()).toEqual({ q0: { action: "accept", content } });
});

it("leaves with Ctrl-C in the middle, asks again when one comes back, and ends with an answer from elsewhere", async () => {
  const left = form();
  await left.until("Give no answer");
  left.type(ENTER);
  await left.until(REGION);
  left.type(CTRL_C);
  const shown = await left.over();
  expect(shown).toContain("code 130");
  expect(shown).toContain(SAME_SETTINGS);
  const [task = ""] = /(?<=logs -f )[0-9a-f-]{36}/u.exec(shown) ?? [];

  const back = onTerminal(machine, ["logs", "-f", task]);
  await back.until("Give no answer");
  back.type(ENTER);
  await back.until(REGION);
  expect(await machine.run(["approvals", "decline", await openApproval()])).toMatchObject({ code: 0 });
  const all = await back.over();
  expect(all).toMatch(/✗ denied[^]*code 0/u);
  expect(all).toContain(SAME_SETTINGS);
  expect(given()).toEqual({ q0: { action: "decline" } });
});

it("asks in a chat, whose keys are its own again afterwards", async () => {
  askInTurn(stub, [FORM]);
  const terminal = onTerminal(machine, ["chat", "--mode", "allow", "-p", project.slug]);
  await terminal.until(/\/help lists[^]*> /u);
  terminal.type(`\u001B[200~${message}\u001B[201~${ENTER}`);
  await terminal.until("Give no answer");
  terminal.type(`${DOWN}${ENTER}`);
  await terminal.until(/✗ denied[^]*Deployed\.[^]*> /u);
  // Completed by the chat: a terminal that passes lines would show the tab.
  terminal.type("/und\t");
  await terminal.until("/undo");
  terminal.type(CTRL_C);
  terminal.type(CTRL_D);
  const shown = await terminal.over();
  expect(shown).toContain("code 0");
  expect(shown).toContain(SAME_SETTINGS);
  expect(given()).toEqual({ q0: { action: "decline" } });
});

it("tells elsewhere which command answers", async () => {
  askInTurn(stub, [FORM]);
  const running = machine.run(run);
  const id = await openApproval();
  const accept = (...answers: string[]) => machine.run(["approvals", "accept", id, ...answers]);
  expect(await accept("region")).toMatchObject({ code: 2, stderr: expect.stringContaining("name=value") });
  expect(await accept("replicas=3")).toMatchObject({
    stderr: expect.stringContaining('"Region" is required'),
  });
  expect(await accept("region=eu-1", "replicas=3", "isPublic=true", "size=l")).toMatchObject({ code: 0 });
  const { stderr } = await running;
  expect(stderr).toContain("Never give secrets");
  expect(stderr).toContain(`workspace approvals accept ${id} region=… replicas=…`);
  const content = { region: "eu-1", replicas: 3, isPublic: true, size: "l" };
  expect(given()).toEqual({ q0: { action: "accept", content } });
});

/** The approval that waits. */
const openApproval = () =>
  vi.waitFor(async () => {
    const { token } = person;
    const { body } = await service.call<{ approval_id: string }[]>("GET", "/api/chat/agent/approvals", {
      token,
    });
    const [open] = body;
    if (!open) throw new Error("Nothing is asked yet");
    return open.approval_id;
  });
