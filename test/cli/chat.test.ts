import { mkdir, stat, writeFile } from "node:fs/promises";
import path from "node:path";
import { afterAll, beforeEach, describe, expect, it } from "vitest";
import { sharedService } from "#test/support/shared-service.ts";
import { call, script } from "#test/support/task-client.ts";
import { entries, textOfEntry } from "#cli/chat/entry.ts";
import { jsonLines } from "./support/machine.ts";
import { machineOf } from "./support/session.ts";
import { CTRL_C, onTerminal, SAME_SETTINGS, type PersonsTerminal } from "./support/terminal.ts";

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

const UP = "\u001b[A";
const CTRL_D = "\u0004";
const pasted = (text: string) => `\u001b[200~${text}\u001b[201~`;
const write = (name: string) => call("write_file", { file_path: name, content: `content of ${name}\n` });
/** Its words are spelled so that the message does not contain what the answer shows. */
const slow = script({ text: "word ".repeat(500), delay_ms: 200 }).replaceAll("word", String.raw`\u0077ord`);

/** An answer whose task is over: the prompt comes back with its end. */
const ANSWERED = /I am the demo model[^]*> /u;

async function talk(...args: string[]): Promise<PersonsTerminal> {
  const terminal = onTerminal(machine, ["chat", "-p", project.slug, ...args]);
  await terminal.until(/\/help lists[^]*> /u);
  return terminal;
}

/** Enters a message of several lines, as a person pastes it. */
const paste = (terminal: PersonsTerminal, message: string) => terminal.type(`${pasted(message)}\r`);

/** Resolves when these words were shown after what is there now. */
async function next(terminal: PersonsTerminal, act: () => void, words: RegExp): Promise<string> {
  const before = terminal.shown().length;
  act();
  await terminal.until(new RegExp(`^[^]{${before}}[^]*${words.source}`, "u"));
  return terminal.shown().slice(before);
}

async function quit(terminal: PersonsTerminal): Promise<void> {
  terminal.type(CTRL_D);
  const shown = await terminal.over();
  expect(shown).toContain(SAME_SETTINGS);
  expect(shown).toContain("code 0");
}

interface Message {
  role: string;
  content: string;
  message_metadata: { attachments?: { label: string }[] } | null;
}

/** The messages of the project's last chat. */
async function messages(): Promise<Message[]> {
  const { token } = person;
  const chats = await service.call<{ id: string }[]>("GET", `/api/chat/${project.id}/sessions`, { token });
  const id = chats.body[0]?.id ?? "";
  return (await service.call<Message[]>("GET", `/api/chat/session/${id}/messages`, { token })).body;
}

describe("chat on a terminal", () => {
  it("asks for approvals inline, and goes on in the same chat", async () => {
    const terminal = await talk("--mode", "ask");
    paste(terminal, script({ text: "I write.", tools: [write("a.txt")] }, { text: "Then not." }));
    expect(await terminal.until("deny")).toMatch(/write_file.+wants to run/su);
    terminal.type("n");
    await terminal.until(/✗ denied[^]*Then not\.[^]*> /u);
    await next(terminal, () => terminal.type("/mode allow\r"), /Mode: allow/u);
    paste(terminal, script({ tools: [write("a.txt")] }, { text: "Written now." }));
    await terminal.until(/✓ [^\n]*write_file a\.txt[^]*\+content of a\.txt[^]*Written now\.[^]*> /u);
    await next(terminal, () => terminal.type("/files\r"), /· [^\n]*a\.txt/u);
    await next(terminal, () => terminal.type("/undo\r"), /Undone, and the files are as before/u);
    await next(terminal, () => terminal.type("/files\r"), /There are no files/u);
    await quit(terminal);
    expect((await messages()).map(({ role }) => role)).toEqual(["user", "assistant"]);
  });

  it("takes several lines, keeps them as history, goes on with --resume, and is left by Ctrl-C twice", async () => {
    const terminal = await talk();
    terminal.type("hello, \\\r");
    terminal.type("second line\r");
    await terminal.until(ANSWERED);
    await quit(terminal);
    const history = path.join(machine.home, "config/workspace/chat-history");
    expect((await stat(history)).mode & 0o777).toBe(0o600);

    const again = await talk("--resume");
    expect(again.shown()).toMatch(/> hello, \r\nsecond line[^]*I am the demo model/u);
    await next(again, () => again.type(`${UP}\r`), ANSWERED);
    const sent = (await messages()).filter(({ role }) => role === "user").map(({ content }) => content);
    expect(sent).toEqual(["hello, \nsecond line", "second line"]);
    // A new chat begins where a line was given up, and a command that is none is told.
    await next(again, () => again.type("/nonsense\r"), /Error[^\n]*\/help/u);
    again.type(`never sent${CTRL_C}`);
    await next(again, () => again.type("/new\r"), /new chat/u);
    await next(again, () => again.type("hello again\r"), ANSWERED);
    again.type(CTRL_C + CTRL_C);
    expect(await again.over()).toContain("code 130");
    expect((await messages()).map(({ content }) => content).slice(0, 1)).toEqual(["hello again"]);
  });

  it("stops with /stop, which is typed while the answer comes, and with Ctrl-C", async () => {
    const terminal = await talk();
    paste(terminal, slow);
    await terminal.until(/word word/u);
    await next(terminal, () => terminal.type("/sto"), /> [^>]*\/sto/u);
    const stopped = await next(terminal, () => terminal.type("p\r"), /Stopped\./u);
    expect(stopped).not.toContain("Nothing runs");
    await next(terminal, () => paste(terminal, slow), /word word/u);
    expect(await next(terminal, () => terminal.type(CTRL_C), /Stopped\./u)).toContain("Stopping");
    await quit(terminal);
  });

  it("attaches files that are typed as @path, and none that a pasted text names", async () => {
    await mkdir(path.join(machine.home, "notes"), { recursive: true });
    await writeFile(path.join(machine.home, "notes/one file.txt"), "one");
    await writeFile(path.join(machine.home, "secret.txt"), "secret");
    const terminal = await talk();
    terminal.type('hello @"notes/one file.txt" and @nobody\r');
    await terminal.until(ANSWERED);
    await next(terminal, () => paste(terminal, "hello @secret.txt"), ANSWERED);
    await quit(terminal);
    const sent = (await messages()).filter(({ role }) => role === "user");
    expect(sent.map((each) => each.message_metadata?.attachments?.map(({ label }) => label) ?? [])).toEqual([
      ["one file.txt"],
      [],
    ]);
  });

  it("restores the terminal when a signal ends it at a question", async () => {
    const terminal = await talk("--mode", "ask");
    paste(terminal, script({ tools: [write("b.txt")] }, { text: "Over." }));
    await terminal.until("deny");
    terminal.kill("SIGHUP");
    const shown = await terminal.over();
    expect(shown).toContain("code 129");
    expect(shown).toContain(SAME_SETTINGS);
    expect(shown.lastIndexOf("\u001b[?2004l")).toBeGreaterThan(shown.lastIndexOf("\u001b[?2004h"));
  });
});

describe("chat without a terminal", () => {
  it("answers each line, in one chat", async () => {
    const input = "hello\nwrite poem.txt \\\nfor me\n";
    const ran = await machine.run(["chat", "-p", project.slug, "--mode", "allow"], { input });
    expect(ran).toMatchObject({ code: 0 });
    expect(ran.stdout).toMatch(/^Hello![^]*I will write `poem\.txt`[^]*for me/u);
    expect((await messages()).map(({ role }) => role)).toEqual(["user", "assistant", "user", "assistant"]);
  });

  it("gives lines of JSON, and ends with the first failure", async () => {
    const json = await machine.run(["chat", "-p", project.slug, "--json"], { input: "hello\n" });
    expect(jsonLines(json.stdout).at(-1)).toMatchObject({ type: "done", status: "completed" });
    const wrong = await machine.run(["chat", "-p", project.slug], { input: "/nonsense\nhello\n" });
    expect(wrong).toMatchObject({ code: 2, stdout: "" });
  });

  it("shows a key's approvals, which a person answers, and attaches no file", async () => {
    await writeFile(path.join(machine.home, "secret.txt"), "secret");
    const { key } = await service.newKey(person.token, project.id);
    const running = machine.start(["chat", "-p", project.id, "--mode", "ask"], {
      environment: { WORKSPACE_API_KEY: key },
      input: "write c.txt for @secret.txt\n",
    });
    const shown = await new Promise<string>((resolve) => {
      let stderr = "";
      running.child.stderr?.on("data", (piece: string) => {
        stderr += piece;
        if (stderr.includes("Only a person")) resolve(stderr);
      });
    });
    const [approval = ""] = /[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/u.exec(shown) ?? [];
    expect((await machine.run(["approvals", "allow", approval])).code).toBe(0);
    expect(await running.ended).toMatchObject({ code: 0, stdout: expect.stringContaining("c.txt") });
    expect((await messages())[0]?.message_metadata?.attachments ?? []).toEqual([]);
    expect(machine.written.join("\n")).not.toContain(key);
  });
});

const line = (text: string) => ({ text, isPasted: false });

describe("the lines of an entry", () => {
  it("go on after a backslash, and within a paste", () => {
    const take = entries();
    expect(take(line("one\\"))).toBeUndefined();
    expect(take(line("two\\"), true)).toBeUndefined();
    expect(textOfEntry(take(line("three")) ?? [])).toBe("one\ntwo\\\nthree");
    expect(textOfEntry(take(line("four")) ?? [])).toBe("four");
  });
});
